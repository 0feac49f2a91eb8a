package io.forkd.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.forkd.base.ErrorCode;
import io.forkd.base.ForkdException;
import io.forkd.base.SandboxId;
import io.forkd.linux.Signal;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(30)
class SandboxTableTest {
  @TempDir Path temp;
  private FakeHost host;
  private final SandboxTable table = new SandboxTable(new FakeObituaries());

  private static EndReason killed(String text) {
    return new EndReason(EndReason.Kind.KILLED, text);
  }

  @BeforeEach
  void open() throws IOException {
    host = new FakeHost(temp.resolve("run"));
  }

  @AfterEach
  void close() throws IOException {
    host.close();
  }

  private LiveSandbox added() {
    LiveSandbox sandbox = host.sandbox();
    table.add(sandbox);
    return sandbox;
  }

  private static void assertGone(ThrowingCallable call, String said) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            ForkdException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.NOT_FOUND))
        .hasMessageContaining(said);
  }

  @Test
  void sandboxesAreFoundByIdAndListedInOrder() {
    List<LiveSandbox> all = List.of(added(), added(), added());
    assertThat(table.get(all.get(1).id())).isSameAs(all.get(1));
    assertThat(table.all()).isEqualTo(all);
  }

  @Test
  void anIdNobodyHadIsNotFoundWithoutAStory() {
    SandboxId id = host.newId();
    assertGone(() -> table.get(id), "no sandbox has the id " + id);
    assertGone(() -> table.end(id, killed("x")), "forkd ls");
  }

  @Test
  void anEndedSandboxLeavesNothingAndSaysWhyItEnded() {
    LiveSandbox sandbox = added();
    table.end(sandbox.id(), killed("it was killed by request"));
    assertThat(host.running()).isZero();
    assertThat(host.workplaces.existing()).isEmpty();
    assertThat(host.confinement.existing()).isEmpty();
    assertThat(table.all()).isEmpty();
    assertGone(() -> table.get(sandbox.id()), "is gone: it was killed by request.");
    assertGone(() -> table.end(sandbox.id(), killed("again")), "it was killed by request");
  }

  @Test
  void ofManyWhoEndASandboxOneDoes() throws Exception {
    LiveSandbox sandbox = added();
    int ended = 0;
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<?>> attempts = new ArrayList<>();
      for (int i = 0; i < 20; i++) {
        attempts.add(threads.submit(() -> table.end(sandbox.id(), killed("by request"))));
      }
      for (Future<?> attempt : attempts) {
        try {
          attempt.get();
          ended++;
        } catch (ExecutionException e) {
          assertThat(e).hasMessageContaining("is gone: by request");
        }
      }
    }
    assertThat(ended).isEqualTo(1);
  }

  @Test
  void aSandboxWhoseVmmDiesLeavesByItselfAndSaysHow() throws Exception {
    LiveSandbox survivor = added();
    LiveSandbox sandbox = added();
    sandbox.vm().process().kill(Signal.KILL);
    while (!host.workplaces.existing().equals(List.of(survivor.id()))) {
      Thread.sleep(2);
    }
    assertThat(table.all()).containsExactly(survivor);
    assertGone(
        () -> table.get(sandbox.id()),
        "is gone: its VMM process %d ended: signal KILL".formatted(sandbox.vm().process().pid()));
  }

  @Test
  void aSandboxThatIsDeadWhenItComesLeavesAtOnce() throws Exception {
    LiveSandbox sandbox = host.sandbox();
    sandbox.vm().process().kill(Signal.KILL);
    sandbox.vm().process().exit().join();
    table.add(sandbox);
    while (!table.all().isEmpty() || !host.workplaces.existing().isEmpty()) {
      Thread.sleep(2);
    }
  }

  @Test
  void abandonedSandboxesGoOnRunning() {
    LiveSandbox sandbox = added();
    assertThat(table.abandonAll()).containsExactly(sandbox);
    assertThat(table.all()).isEmpty();
    assertThat(host.running()).isEqualTo(1);
    assertThat(host.vms.getFirst().closed).isTrue();
    assertThat(host.records.find(sandbox.id())).contains(sandbox.sandboxRecord());
    sandbox.end();
    assertThat(host.running()).as("what was let go is no longer ours to end").isEqualTo(1);
  }
}
