package io.forkd.client;

import static io.forkd.client.FakeDaemon.chunk;
import static io.forkd.client.FakeDaemon.linesHead;
import static io.forkd.client.FakeDaemon.reply;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ForkdClientTest {
  private static final String SANDBOX =
      """
      {"id":"sb-0123456789-0001","snapshot_tag":"t","created_at_unix":1700000000,"pid":42,"pooled":true,\
      "memory_limit_mib":256,"proof":{"hostname":"h","machine_id":"m","boot_id":"b","clock_error_ms":3,\
      "clock_step_ms":9000,"entropy_bytes":64,"crng_reseeded":true,"kernel_uuid":"u","hooks":["python"]},\
      "phases_ms":{"queue":0.5,"total":12},"unknown":[1]}""";

  @Test
  void aForkTellsTheLivingChildrenAndTheFailedOnes() throws IOException {
    try (FakeDaemon daemon =
            answering(
                201,
                "Forkd-Failures: [{\"index\":1,\"error\":\"QEMU died\"}]\r\n",
                "[" + SANDBOX + "]");
        ForkdClient client = ForkdClient.connect(daemon.endpoint())) {
      ForkOutcome outcome = client.fork("t", 2, Optional.of(256));

      assertThat(outcome.failures()).containsExactly(new ForkOutcome.Failure(1, "QEMU died"));
      SandboxInfo child = outcome.sandboxes().getFirst();
      assertThat(child.pid()).isEqualTo(42);
      assertThat(child.pooled()).isTrue();
      assertThat(child.memoryLimitMib()).contains(256);
      assertThat(child.phasesMs()).containsEntry("queue", 0.5).containsEntry("total", 12.0);
      assertThat(child.proof().orElseThrow().hooks()).containsExactly("python");
      assertThat(child.json().values()).containsEntry("unknown", List.of(1L));
      assertThat(daemon.requests().getFirst().body())
          .isEqualTo("{\"snapshot_tag\":\"t\",\"n\":2,\"memory_limit_mib\":256}");
    }
  }

  @Test
  void aRefusalCarriesTheDaemonsWordsAndStatus() throws IOException {
    try (FakeDaemon daemon = answering(404, "", "{\"error\":\"no snapshot 't'\"}");
        ForkdClient client = ForkdClient.connect(daemon.endpoint())) {
      assertThatThrownBy(() -> client.removeSnapshot("t"))
          .isInstanceOfSatisfying(
              ForkdClientException.class, e -> assertThat(e.status()).isEqualTo(404))
          .hasMessage("no snapshot 't'");
    }
  }

  @Test
  void aSnapshotsStepsComeAsTheyBeginAndHeartbeatsAreSilent() throws IOException {
    try (FakeDaemon daemon =
            FakeDaemon.start(
                (request, out) -> {
                  assertThat(request.headers()).containsEntry("accept", "application/x-ndjson");
                  send(out, linesHead());
                  send(out, chunk("{\"step\":\"kernel\",\"detail\":\"Fetching\"}\n{\"heart"));
                  send(out, chunk("beat\":true}\n{\"step\":\"boot\",\"detail\":\"Bööting\"}\n"));
                  send(out, chunk("{\"snapshot\":{\"tag\":\"t\",\"memory_mib\":512}}"));
                  send(out, "0\r\n\r\n");
                  return true;
                });
        ForkdClient client = ForkdClient.connect(daemon.endpoint())) {
      List<String> steps = new ArrayList<>();
      SnapshotInfo snapshot =
          client.createSnapshot(
              SnapshotRequest.ofRecipe("t", "python-numpy"), (s, d) -> steps.add(s + ": " + d));

      assertThat(steps).containsExactly("kernel: Fetching", "boot: Bööting");
      assertThat(snapshot.memoryMib()).isEqualTo(512);
    }
  }

  @Test
  void aSnapshotThatFailsMidwayThrowsTheDaemonsReason() throws IOException {
    try (FakeDaemon daemon =
            FakeDaemon.start(
                (request, out) -> {
                  send(out, linesHead());
                  send(out, chunk("{\"error\":\"disk full\",\"status\":503}\n") + "0\r\n\r\n");
                  return true;
                });
        ForkdClient client = ForkdClient.connect(daemon.endpoint())) {
      assertThatThrownBy(
              () -> client.createSnapshot(SnapshotRequest.ofRecipe("t", "r"), (s, d) -> {}))
          .isInstanceOfSatisfying(
              ForkdClientException.class, e -> assertThat(e.status()).isEqualTo(503))
          .hasMessage("disk full");
    }
  }

  @Test
  void aStreamCutShortIsAnErrorAndNotASuccess() throws IOException {
    try (FakeDaemon daemon =
            FakeDaemon.start(
                (request, out) -> {
                  send(out, linesHead() + chunk("{\"step\":\"boot\",\"detail\":\"\"}\n"));
                  return false;
                });
        ForkdClient client = ForkdClient.connect(daemon.endpoint())) {
      assertBroken(() -> client.createSnapshot(SnapshotRequest.ofRecipe("t", "r"), (s, d) -> {}));
    }
  }

  @Test
  void connectionsAreKeptForTheNextCall() throws IOException {
    try (FakeDaemon daemon = answering(200, "", "[]");
        ForkdClient client = ForkdClient.connect(daemon.endpoint())) {
      for (int i = 0; i < 5; i++) {
        client.sandboxes();
      }
      assertThat(daemon.connections()).isEqualTo(1);
    }
  }

  @Test
  void aConnectionTheDaemonClosedIsReplaced() throws IOException {
    try (FakeDaemon daemon =
            FakeDaemon.start(
                (request, out) -> {
                  send(out, reply(200, "", "[]"));
                  return false;
                });
        ForkdClient client = ForkdClient.connect(daemon.endpoint())) {
      for (int i = 0; i < 20; i++) {
        assertThat(client.sandboxes()).isEmpty();
      }
    }
  }

  @Test
  void threeHundredCallersAtOnceAllGetAnAnswer() throws Exception {
    try (FakeDaemon daemon = answering(200, "", "{\"result\":\"1\",\"exit_code\":0}");
        ForkdClient client = ForkdClient.connect(daemon.endpoint())) {
      List<String> results = java.util.Collections.synchronizedList(new ArrayList<>());
      List<Thread> callers = new ArrayList<>();
      for (int i = 0; i < 300; i++) {
        callers.add(
            Thread.ofVirtual()
                .start(
                    () ->
                        results.add(
                            client
                                .eval("sb-0123456789-0001", "1", Duration.ofSeconds(20))
                                .result()
                                .orElse("none"))));
      }
      for (Thread caller : callers) {
        caller.join();
      }
      assertThat(results).hasSize(300).containsOnly("1");
    }
  }

  @Test
  void aDaemonThatNeverAnswersDoesNotHangTheCaller() throws IOException {
    try (FakeDaemon daemon = FakeDaemon.start((request, out) -> true);
        ForkdClient client = ForkdClient.connect(daemon.endpoint())) {
      assertThat(client.healthy(Duration.ofMillis(200))).isFalse();
    }
  }

  @Test
  void aDaemonThatDribblesHeadersForeverDoesNotHangTheCaller() throws IOException {
    try (FakeDaemon daemon =
            FakeDaemon.start(
                (request, out) -> {
                  send(out, "HTTP/1.1 200 OK\r\n");
                  for (int i = 0; i < 10_000; i++) {
                    send(out, "X-" + i + ": y\r\n");
                  }
                  return true;
                });
        ForkdClient client = ForkdClient.connect(daemon.endpoint())) {
      assertBroken(client::sandboxes);
    }
  }

  @Test
  void nonsenseForHttpIsBrokenAndNotACrash() throws IOException {
    List<String> nonsense =
        List.of(
            "SSH-2.0-OpenSSH_9.2\r\n",
            "HTTP/1.1 999999 OK\r\n\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: many\r\n\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\n[]",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n[]]\r\n0\r\n\r\n",
            "HTTP/1.1 200 OK\r\n: nameless\r\n\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n<>!?");
    for (String answer : nonsense) {
      try (FakeDaemon daemon =
              FakeDaemon.start(
                  (request, out) -> {
                    send(out, answer);
                    return false;
                  });
          ForkdClient client = ForkdClient.connect(daemon.endpoint())) {
        assertBroken(client::sandboxes);
      }
    }
  }

  @Test
  void anAnswerWithoutLengthEndsWithTheConnection() throws IOException {
    try (FakeDaemon daemon =
            FakeDaemon.start(
                (request, out) -> {
                  send(out, "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n\r\n[]");
                  return false;
                });
        ForkdClient client = ForkdClient.connect(daemon.endpoint())) {
      assertThat(client.sandboxes()).isEmpty();
    }
  }

  @Test
  void whereNobodyListensTheNextStepIsNamed() {
    Endpoint nowhere = Endpoint.parse("unix:///tmp/forkd-nobody/forkd.sock", Optional.empty());
    try (ForkdClient client = ForkdClient.connect(nowhere)) {
      assertThatThrownBy(client::sandboxes)
          .isInstanceOfSatisfying(
              ForkdClientException.class,
              e -> assertThat(e.status()).isEqualTo(ForkdClientException.UNREACHABLE))
          .hasMessageContaining("forkd daemon start");
    }
  }

  @Test
  void aSocketPathTooLongIsUnreachableAndNotACrash() {
    Endpoint endpoint = Endpoint.unix(java.nio.file.Path.of("/tmp/" + "x".repeat(300)));
    try (ForkdClient client = ForkdClient.connect(endpoint)) {
      assertThat(client.healthy(Duration.ofSeconds(1))).isFalse();
    }
  }

  @Test
  void namesAreEscapedBeforeTheyBecomePartOfAPath() throws IOException {
    try (FakeDaemon daemon = answering(204, "", "");
        ForkdClient client = ForkdClient.connect(daemon.endpoint())) {
      client.kill("a/../b c?d");
      assertThat(daemon.requests().getFirst().path()).isEqualTo("/v1/sandboxes/a%2F..%2Fb%20c%3Fd");
      assertThatThrownBy(() -> client.kill("..")).hasMessageContaining("no name");
    }
  }

  private static FakeDaemon answering(int status, String headers, String body) throws IOException {
    return FakeDaemon.start(
        (request, out) -> {
          send(out, reply(status, headers, body));
          return true;
        });
  }

  private static void send(java.io.OutputStream out, String text) throws IOException {
    out.write(text.getBytes(UTF_8));
  }

  private static void assertBroken(ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            ForkdClientException.class,
            e -> assertThat(e.status()).isEqualTo(ForkdClientException.BROKEN));
  }
}
