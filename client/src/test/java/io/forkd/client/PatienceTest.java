package io.forkd.client;

import static io.forkd.client.FakeDaemon.chunk;
import static io.forkd.client.FakeDaemon.linesHead;
import static io.forkd.client.FakeDaemon.reply;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Calls to a daemon that is away for a moment. */
@Timeout(60)
class PatienceTest {
  private static final Duration LONG_ENOUGH = Duration.ofSeconds(30);
  private static final String STOPPING =
      reply(503, "Forkd-Stopping: true\r\n", "{\"error\":\"x\"}");

  private final AtomicInteger tries = new AtomicInteger();

  /** A daemon that hangs up or refuses at first and answers from the third time on. */
  private FakeDaemon recovering(String before, String answer) throws IOException {
    return FakeDaemon.start(
        (_, out) -> {
          boolean back = tries.incrementAndGet() > 2;
          send(out, back ? answer : before);
          return back;
        });
  }

  private static void send(OutputStream out, String text) throws IOException {
    out.write(text.getBytes(UTF_8));
  }

  private static List<String> keys(FakeDaemon daemon) {
    return daemon.requests().stream()
        .map(request -> request.headers().getOrDefault("idempotency-key", ""))
        .toList();
  }

  @Test
  void aDaemonThatIsNotThereYetIsWaitedFor() throws Exception {
    Path socket = Files.createTempFile(Path.of("/tmp"), "forkd-late", ".sock");
    Files.delete(socket);
    AtomicReference<String> heard = new AtomicReference<>("nothing");
    try (ForkdClient client = ForkdClient.patient(Endpoint.unix(socket), LONG_ENOUGH)) {
      // Not repeatable, but nothing is sent while there is nobody.
      Thread caller =
          Thread.ofPlatform()
              .start(
                  () ->
                      heard.set(client.exec("sb-1", List.of("x"), Duration.ofSeconds(1)).stdout()));
      while (caller.getState() != Thread.State.TIMED_WAITING) {
        Thread.onSpinWait();
      }
      try (FakeDaemon _ =
          FakeDaemon.startOn(
              socket,
              (_, out) -> {
                send(out, reply(200, "", "{\"stdout\":\"hi\",\"exit_code\":0}"));
                return true;
              })) {
        caller.join();
      }
    }
    assertThat(heard).hasValue("hi");
  }

  @Test
  void patienceEnds() {
    Endpoint nowhere = Endpoint.unix(Path.of("/tmp/forkd-nobody.sock"));
    try (ForkdClient client = ForkdClient.patient(nowhere, Duration.ofMillis(200))) {
      assertThatThrownBy(client::sandboxes)
          .isInstanceOfSatisfying(
              ForkdClientException.class,
              e -> assertThat(e.status()).isEqualTo(ForkdClientException.UNREACHABLE));
      assertThat(client.healthy(Duration.ofMillis(100))).isFalse();
    }
  }

  @Test
  void aCreatingCallThatIsCutOffIsSentAgainUnderTheSameKey() throws IOException {
    try (FakeDaemon daemon = recovering("", reply(201, "", "[{\"id\":\"sb-1\"}]"));
        ForkdClient client = ForkdClient.patient(daemon.endpoint(), LONG_ENOUGH)) {
      assertThat(client.fork(ForkRequest.of("t", 1)).sandboxes()).hasSize(1);
      assertThat(keys(daemon)).hasSize(3).doesNotContain("").containsOnly(keys(daemon).getFirst());
      client.fork(ForkRequest.of("t", 1));
      assertThat(keys(daemon).getLast()).isNotEqualTo(keys(daemon).getFirst());
    }
  }

  @Test
  void everyCreatingCallHasAKey() throws IOException {
    try (FakeDaemon daemon =
            FakeDaemon.start(
                (_, out) -> {
                  send(out, reply(201, "", "{\"snapshot\":{},\"tag\":\"t\"}"));
                  return true;
                });
        ForkdClient client = ForkdClient.patient(daemon.endpoint(), LONG_ENOUGH)) {
      client.branch("sb-1", BranchRequest.ofTag("t"));
      client.forkSandbox("sb-1", FanOutRequest.of(1));
      client.workspaces().create(new WorkspaceRequest("w", "t", ChildRequest.PLAIN));
      client.createSnapshot(SnapshotRequest.ofRecipe("t", "r"), (_, _) -> {});
      assertThat(keys(daemon)).hasSize(4).doesNotContain("").doesNotHaveDuplicates();
    }
  }

  @Test
  void aSnapshotWhoseLinesStopIsAskedForAgain() throws IOException {
    try (FakeDaemon daemon =
            recovering(
                linesHead() + chunk("{\"step\":\"boot\",\"detail\":\"\"}\n"),
                reply(201, "Idempotency-Replayed: true\r\n", "{\"tag\":\"t\"}"));
        ForkdClient client = ForkdClient.patient(daemon.endpoint(), LONG_ENOUGH)) {
      assertThat(client.createSnapshot(SnapshotRequest.ofRecipe("t", "r"), (_, _) -> {}).tag())
          .isEqualTo("t");
    }
  }

  @Test
  void aReadThatIsCutOffIsRepeated() throws IOException {
    try (FakeDaemon daemon = recovering("HTTP/1.1 200 OK\r\nContent-Le", reply(200, "", "[]"));
        ForkdClient client = ForkdClient.patient(daemon.endpoint(), LONG_ENOUGH)) {
      assertThat(client.sandboxes()).isEmpty();
      assertThat(tries).hasValue(3);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{"})
  void whatMayHaveBeenDoneIsNotDoneAgain(String before) throws IOException {
    try (FakeDaemon daemon = recovering(before, reply(200, "", "{}"));
        ForkdClient client = ForkdClient.patient(daemon.endpoint(), LONG_ENOUGH)) {
      assertThatThrownBy(() -> client.eval("sb-1", "x += 1", Duration.ofSeconds(5)))
          .isInstanceOfSatisfying(
              ForkdClientException.class,
              e -> assertThat(e.status()).isEqualTo(ForkdClientException.BROKEN));
      assertThatThrownBy(() -> client.kill("sb-1")).isInstanceOf(ForkdClientException.class);
      assertThat(tries).hasValue(2);
    }
  }

  @Test
  void whatADaemonRefusedBecauseItStopsIsSentToTheNext() throws IOException {
    try (FakeDaemon daemon =
            recovering(STOPPING, reply(200, "", "{\"result\":\"1\",\"exit_code\":0}"));
        ForkdClient client = ForkdClient.patient(daemon.endpoint(), LONG_ENOUGH)) {
      assertThat(client.eval("sb-1", "x", Duration.ofSeconds(5)).result()).contains("1");
    }
  }

  @Test
  void aDaemonThatIsFullIsNotPestered() throws IOException {
    String full = reply(503, "Retry-After: 1\r\n", "{\"error\":\"full\"}");
    try (FakeDaemon daemon = recovering(full, reply(201, "", "[]"));
        ForkdClient client = ForkdClient.patient(daemon.endpoint(), LONG_ENOUGH)) {
      assertThatThrownBy(() -> client.fork(ForkRequest.of("t", 1))).hasMessage("full");
      assertThat(tries).hasValue(1);
    }
  }

  @Test
  void theFirstTryIsWaitedForWhenItIsStillUnderWay() throws IOException {
    String underWay = reply(409, "Retry-After: 1\r\n", "{\"error\":\"under way\"}");
    try (FakeDaemon daemon =
            FakeDaemon.start(
                (_, out) ->
                    switch (tries.incrementAndGet()) {
                      case 1 -> false;
                      case 2 -> {
                        send(out, underWay);
                        yield true;
                      }
                      default -> {
                        send(out, reply(201, "", "[]"));
                        yield true;
                      }
                    });
        ForkdClient client = ForkdClient.patient(daemon.endpoint(), LONG_ENOUGH)) {
      client.fork(ForkRequest.of("t", 1));
      assertThat(tries).hasValue(3);
    }
  }

  @Test
  void aConflictThatIsNotOurOwnIsTold() throws IOException {
    String taken = reply(409, "Retry-After: 1\r\n", "{\"error\":\"taken\"}");
    try (FakeDaemon daemon = recovering(taken, reply(201, "", "[]"));
        ForkdClient client = ForkdClient.patient(daemon.endpoint(), LONG_ENOUGH)) {
      assertThatThrownBy(() -> client.fork(ForkRequest.of("t", 1))).hasMessage("taken");
    }
  }

  @Test
  void anImpatientClientSendsOnceAndWithoutAKey() throws IOException {
    try (FakeDaemon daemon = recovering("", reply(201, "", "[]"));
        ForkdClient client = ForkdClient.connect(daemon.endpoint())) {
      assertThatThrownBy(() -> client.fork(ForkRequest.of("t", 1)))
          .isInstanceOf(ForkdClientException.class);
      assertThat(keys(daemon)).containsExactly("");
    }
  }

  @Test
  void theSameHoldsOverTcp() throws Exception {
    try (ServerSocket server = new ServerSocket(0, 8, InetAddress.getLoopbackAddress())) {
      Thread.ofVirtual().start(() -> hangUpTwice(server));
      Endpoint endpoint =
          new Endpoint.Tcp(
              URI.create("http://127.0.0.1:" + server.getLocalPort()), Optional.empty());
      try (ForkdClient client = ForkdClient.patient(endpoint, LONG_ENOUGH)) {
        assertThat(client.fork(ForkRequest.of("t", 1)).sandboxes()).isEmpty();
      }
    }
  }

  private static void hangUpTwice(ServerSocket server) {
    try {
      for (int i = 0; ; i++) {
        try (Socket socket = server.accept()) {
          int first = socket.getInputStream().read();
          if (i >= 2 && first > 0) {
            while (socket.getInputStream().available() > 0) {
              socket.getInputStream().skip(socket.getInputStream().available());
            }
            send(socket.getOutputStream(), reply(201, "Connection: close\r\n", "[]"));
          }
        }
      }
    } catch (IOException e) {
      return;
    }
  }
}
