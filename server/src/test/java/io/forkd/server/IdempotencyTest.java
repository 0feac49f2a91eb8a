package io.forkd.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Requests that are sent again with the key of the first time. */
@Timeout(60)
class IdempotencyTest {
  private static final String KEY = "Idempotency-Key: k1";
  private static final String FORK = "{\"snapshot_tag\":\"base\",\"n\":2}";

  private final TestServer server = TestServer.open();

  @AfterEach
  void stop() throws IOException {
    server.close();
  }

  @Test
  void theFirstAnswerIsGivenAgain() throws IOException {
    server.forkd.failures.set(1);
    Answer first =
        server.post("/v1/sandboxes", "{\"snapshot_tag\":\"base\",\"n\":2,\"prewarm\":true}", KEY);
    Answer again =
        server.post("/v1/sandboxes", "{\"snapshot_tag\":\"base\",\"n\":2,\"prewarm\":true}", KEY);
    assertThat(first.status()).isEqualTo(201);
    assertThat(first.headers()).doesNotContainKey("idempotency-replayed");
    assertThat(again.status()).isEqualTo(201);
    assertThat(again.text()).isEqualTo(first.text());
    assertThat(again.header("idempotency-replayed")).isEqualTo("true");
    for (String header : new String[] {"content-type", "forkd-failures", "forkd-warning"}) {
      assertThat(again.header(header)).isNotEmpty().isEqualTo(first.header(header));
    }
    assertThat(server.forkd.sandboxes).hasSize(1);
  }

  @Test
  void withoutAKeyEveryRequestIsDone() throws IOException {
    server.post("/v1/sandboxes", FORK);
    server.post("/v1/sandboxes", FORK);
    server.post("/v1/sandboxes", FORK, KEY);
    server.post("/v1/sandboxes", FORK, "Idempotency-Key: k2");
    assertThat(server.forkd.sandboxes).hasSize(8);
  }

  @Test
  void aKeyIsForOneRequestOnly() throws IOException {
    server.post("/v1/sandboxes", FORK, KEY);
    Answer otherBody = server.post("/v1/sandboxes", "{\"snapshot_tag\":\"base\"}", KEY);
    assertThat(otherBody.status()).isEqualTo(409);
    assertThat(otherBody.error()).contains("used for another request");
    assertThat(server.post("/v1/workspaces", FORK, KEY).status()).isEqualTo(409);
    assertThat(server.forkd.sandboxes).hasSize(2);
    assertThat(server.post("/v1/sandboxes", FORK, KEY).status()).isEqualTo(201);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "/v1/workspaces|{\"name\":\"w\",\"snapshot_tag\":\"base\"}",
        "/v1/snapshots|{\"tag\":\"t\",\"recipe\":\"r\"}",
        "/v1/sandboxes/{id}/branch|{\"tag\":\"b\"}",
        "/v1/sandboxes/{id}/fork|{\"tag\":\"b\",\"n\":2}"
      })
  void everyCreatingRouteRemembers(String path, String body) throws IOException {
    String target = path.replace("{id}", server.fork());
    Answer first = server.post(target, body, KEY);
    Answer again = server.post(target, body, KEY);
    assertThat(first.status()).as(first.text()).isEqualTo(201);
    assertThat(again.text()).isEqualTo(first.text());
    assertThat(again.header("idempotency-replayed")).isEqualTo("true");
  }

  @Test
  void aRefusalThatIsFinalIsGivenAgain() throws IOException {
    String body = "{\"snapshot_tag\":\"later\"}";
    Answer first = server.post("/v1/sandboxes", body, KEY);
    assertThat(first.status()).isEqualTo(404);
    server.post("/v1/snapshots", "{\"tag\":\"later\",\"recipe\":\"r\"}");
    Answer again = server.post("/v1/sandboxes", body, KEY);
    assertThat(again.status()).isEqualTo(404);
    assertThat(again.error()).isEqualTo(first.error());
    assertThat(again.header("idempotency-replayed")).isEqualTo("true");
  }

  @Test
  void aFailureThatMayPassIsTriedAgain() throws IOException {
    server.forkd.failures.set(2);
    assertThat(server.post("/v1/sandboxes", FORK, KEY).status()).isEqualTo(502);
    Answer again = server.post("/v1/sandboxes", FORK, KEY);
    assertThat(again.status()).isEqualTo(201);
    assertThat(again.headers()).doesNotContainKey("idempotency-replayed");
  }

  @ParameterizedTest
  @ValueSource(strings = {"boom-FULL", "boom-defect", "boom-TIMEOUT", "boom-TOO_LARGE"})
  void whatSaysNothingOfTheRequestIsNotKept(String tag) throws IOException {
    String body = "{\"snapshot_tag\":\"%s\"}".formatted(tag);
    Answer first = server.post("/v1/sandboxes", body, KEY);
    Answer again = server.post("/v1/sandboxes", body, KEY);
    assertThat(again.status()).isEqualTo(first.status()).isNotEqualTo(409);
    assertThat(again.headers()).doesNotContainKey("idempotency-replayed");
  }

  @Test
  void oneThatIsUnderWayIsNotDoneTwice() throws Exception {
    String id = server.fork();
    CountDownLatch gate = new CountDownLatch(1);
    server.forkd.branches.captureGate = gate;
    String path = "/v1/sandboxes/" + id + "/branch";
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      Future<Answer> first = threads.submit(() -> server.post(path, "{}", KEY));
      while (server.forkd.branches.branching().inFlight() == 0) {
        Thread.onSpinWait();
      }
      Answer meanwhile = server.post(path, "{}", KEY);
      assertThat(meanwhile.status()).isEqualTo(409);
      assertThat(meanwhile.error()).contains("still under way");
      gate.countDown();
      assertThat(first.get().status()).isEqualTo(201);
    }
    assertThat(server.post(path, "{}", KEY).status()).isEqualTo(201);
    assertThat(server.forkd.branches.specs).hasSize(1);
  }

  @Test
  void aStreamWhoseClientWentAwayIsKeptToo() throws Exception {
    String body = "{\"tag\":\"wait-1\",\"recipe\":\"r\"}";
    String[] headers = {"Accept: application/x-ndjson", KEY};
    try (Wire wire = server.tcp()) {
      wire.request("POST", "/v1/snapshots", body, headers);
      wire.head();
      assertThat(wire.chunk()).contains("rootfs");
    }
    assertThat(server.post("/v1/snapshots", body, headers).status()).isEqualTo(409);
    server.forkd.snapshotGate.countDown();
    Answer again = server.post("/v1/snapshots", body, headers);
    while (again.status() == 409) {
      again = server.post("/v1/snapshots", body, headers);
    }
    assertThat(again.status()).isEqualTo(201);
    assertThat(again.json().path("tag").asString()).isEqualTo("wait-1");
    assertThat(again.header("idempotency-replayed")).isEqualTo("true");
    assertThat(server.forkd.snapshotSpecs).hasSize(1);
  }

  @Test
  void whatIsDoneIsToldThoughTheAnswerCannotBeKept() throws IOException {
    server.answers.full = true;
    assertThat(server.post("/v1/sandboxes", FORK, KEY).status()).isEqualTo(201);
    assertThat(server.forkd.sandboxes).hasSize(2);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", " ", "é", "\t"})
  void refusesKeysThatAreNone(String key) throws IOException {
    Answer answer = server.post("/v1/sandboxes", FORK, "Idempotency-Key: " + key);
    assertThat(answer.status()).isEqualTo(400);
    assertThat(server.forkd.sandboxes).isEmpty();
  }

  @Test
  void refusesAKeyThatIsTooLongOrSentTwice() throws IOException {
    String longest = "k".repeat(128);
    assertThat(server.post("/v1/sandboxes", FORK, "Idempotency-Key: " + longest).status())
        .isEqualTo(201);
    assertThat(server.post("/v1/sandboxes", FORK, "Idempotency-Key: x" + longest).status())
        .isEqualTo(400);
    assertThat(server.post("/v1/sandboxes", FORK, KEY, "Idempotency-Key: k2").status())
        .isEqualTo(400);
  }

  @Test
  void aKeyOnAnyOtherRouteDoesNothing() throws IOException {
    String id = server.fork();
    assertThat(server.post("/v1/sandboxes/" + id + "/ping", "", KEY).status()).isEqualTo(200);
    Answer again = server.post("/v1/sandboxes/" + id + "/ping", "", KEY);
    assertThat(again.headers()).doesNotContainKey("idempotency-replayed");
  }
}
