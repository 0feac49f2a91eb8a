package io.forkd.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.forkd.base.Tag;
import io.forkd.guest.ExecResult;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What goes on in a sandbox goes on through its branches, and branches leave nothing behind. */
@org.junit.jupiter.api.Tag("vm")
@Timeout(300)
class BranchContinuityVmTest {
  private static final int BRANCHES = 20;

  /** Two processes that play ping-pong with numbers over loopback and count what goes wrong. */
  static final String PING_PONG =
      """
      import os, socket, struct, threading
      server = socket.create_server(('127.0.0.1', 0))
      echo = os.fork()
      if echo == 0:
          peer, _ = server.accept()
          while True:
              data = peer.recv(8)
              if not data:
                  os._exit(0)
              peer.sendall(data)
      line = socket.create_connection(server.getsockname())
      played, wrong, stop = 0, 0, False
      def play():
          global played, wrong
          while not stop:
              line.sendall(struct.pack('<Q', played))
              got = b''
              while len(got) < 8:
                  got += line.recv(8 - len(got))
              wrong += struct.unpack('<Q', got)[0] != played
              played += 1
      player = threading.Thread(target=play, daemon=True)
      player.start()
      """;

  private final VmLab lab = VmLab.shared();
  private Set<Tag> before = Set.of();

  @BeforeEach
  void remember() {
    lab.python();
    before = new HashSet<>(lab.forkd().snapshots().stream().map(Snapshot::tag).toList());
  }

  @AfterEach
  void cleanUp() {
    lab.killAll();
    lab.removeAllBut(before);
  }

  private void branches(Sandbox source, String name) {
    for (int i = 0; i < BRANCHES; i++) {
      lab.forkd()
          .branch(
              source.id(),
              new BranchSpec(
                  Optional.of(Tag.of(name + "-" + i)),
                  Optional.of(i % 2 == 0 ? BranchMode.LIVE : BranchMode.DIFF),
                  true,
                  Optional.empty(),
                  Optional.of(2)));
    }
  }

  @Test
  void processesTalkingOverTcpLoseNothingAcrossTwentyBranches() {
    Sandbox source = lab.fork(1).getFirst();
    lab.eval(source, PING_PONG);
    long start = Long.parseLong(lab.eval(source, "played"));
    branches(source, "tcp");
    assertThat(Long.parseLong(lab.eval(source, "played"))).isGreaterThan(start);
    Sandbox child =
        lab.forkd()
            .fork(new ForkSpec(Tag.of("tcp-19"), 1, Optional.empty()))
            .sandboxes()
            .getFirst();
    for (Sandbox each : List.of(source, child)) {
      long now = Long.parseLong(lab.eval(each, "played"));
      lab.await(() -> Long.parseLong(lab.eval(each, "played")) > now);
      assertThat(lab.eval(each, "stop = True; player.join(10); (wrong, player.is_alive())"))
          .isEqualTo("(0, False)");
    }
  }

  @Test
  void outputStreamedThroughTheAgentLosesNothingAcrossTwentyBranches() {
    Sandbox source = lab.fork(1).getFirst();
    CompletableFuture<ExecResult> streamed =
        CompletableFuture.supplyAsync(
            () ->
                lab.forkd()
                    .exec(
                        source.id(),
                        List.of(
                            "/bin/sh",
                            "-c",
                            "i=0; while [ ! -e /tmp/enough ]; do i=$((i+1)); echo $i; done"),
                        Duration.ofMinutes(3)));
    branches(source, "agent");
    lab.sh(source, "touch /tmp/enough");
    assertThat(streamed.join().exitCode()).isZero();
    assertThat(streamed.join().truncated()).isFalse();
    List<String> numbers = streamed.join().stdout().lines().toList();
    assertThat(numbers)
        .hasSizeGreaterThan(1000)
        .isEqualTo(IntStream.rangeClosed(1, numbers.size()).mapToObj(String::valueOf).toList());
  }

  @Test
  void branchesForksAndRollbacksLeaveNothingBehind() {
    round("warm-up");
    HostTraces untouched = HostTraces.of(lab);
    for (int i = 0; i < 5; i++) {
      round("leak-" + i);
    }
    lab.await(() -> HostTraces.of(lab).equals(untouched)); // what was just written is let go of
  }

  private void round(String name) {
    Sandbox source = lab.fork(1).getFirst();
    FanOut fan =
        lab.forkd()
            .fanOut(
                source.id(),
                new FanOutSpec(BranchSpec.of(Tag.of(name)), 2, Optional.empty(), Optional.empty()));
    Tag second =
        lab.forkd()
            .branch(fan.children().sandboxes().getFirst().id(), BranchSpec.of(Tag.of(name + "-2")))
            .tag();
    lab.forkd().rollback(source.id(), second);
    lab.killAll();
    lab.removeAllBut(before);
  }
}
