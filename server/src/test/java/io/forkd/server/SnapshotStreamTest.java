package io.forkd.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.forkd.base.Tag;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

@Timeout(60)
class SnapshotStreamTest {
  private static final String NDJSON = "Accept: application/x-ndjson";
  private static final String HEARTBEAT = "{\"heartbeat\":true}\n";

  private final TestServer server = TestServer.open();

  @AfterEach
  void stop() throws IOException {
    server.close();
  }

  @ParameterizedTest
  @ValueSource(strings = {NDJSON, "Accept: application/json;q=0.1, application/x-ndjson"})
  void tellsEachStepAndEndsWithTheSnapshot(String accept) throws IOException {
    Answer answer =
        server.post("/v1/snapshots", "{\"tag\":\"t\",\"recipe\":\"r\",\"rw\":true}", accept);
    assertThat(answer.status()).isEqualTo(200);
    assertThat(answer.header("content-type")).isEqualTo("application/x-ndjson");
    assertThat(answer.header("forkd-warning")).contains("rw");
    List<String> lines = answer.text().lines().filter(l -> !l.contains("heartbeat")).toList();
    assertThat(lines).hasSize(3);
    assertThat(lines.get(0))
        .isEqualTo("{\"step\":\"rootfs\",\"detail\":\"Making the root filesystem\"}");
    assertThat(lines.get(1)).isEqualTo("{\"step\":\"boot\",\"detail\":\"Booting the parent\"}");
    JsonNode last = Answer.parse(lines.get(2));
    assertThat(last.path("snapshot").path("tag").asString()).isEqualTo("t");
    assertThat(last.path("snapshot").path("status").asString()).isEqualTo("ready");
  }

  @Test
  void linesArriveWhileTheWorkGoesOn() throws IOException {
    try (Wire wire = server.unix()) {
      wire.request("POST", "/v1/snapshots", "{\"tag\":\"wait-1\",\"recipe\":\"r\"}", NDJSON);
      assertThat(wire.head().status()).isEqualTo(200);
      assertThat(firstThatIsNoHeartbeat(wire)).contains("\"step\":\"rootfs\"");
      assertThat(wire.chunk()).isEqualTo(HEARTBEAT);
      assertThat(wire.chunk()).isEqualTo(HEARTBEAT);
      server.forkd.snapshotGate.countDown();
      assertThat(firstThatIsNoHeartbeat(wire)).contains("\"step\":\"boot\"");
      assertThat(firstThatIsNoHeartbeat(wire)).contains("\"snapshot\"");
      assertThat(wire.chunk()).isEmpty();
      wire.request("GET", "/healthz", "");
      assertThat(wire.answer().status()).isEqualTo(200);
    }
  }

  private static String firstThatIsNoHeartbeat(Wire wire) throws IOException {
    String chunk = wire.chunk();
    while (chunk.equals(HEARTBEAT)) {
      chunk = wire.chunk();
    }
    return chunk;
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "base|409|A snapshot base exists already.",
        "boom-FULL|503|as told: FULL",
        "boom-HOST_FAILED|500|as told: HOST_FAILED",
        "boom-defect|500|reference r-"
      })
  void endsWithTheErrorAndItsStatus(String tag, int status, String reason) throws IOException {
    Answer answer =
        server.post("/v1/snapshots", "{\"tag\":\"%s\",\"recipe\":\"r\"}".formatted(tag), NDJSON);
    assertThat(answer.status()).isEqualTo(200);
    JsonNode last = Answer.parse(answer.text().lines().toList().getLast());
    assertThat(last.path("status").asInt()).isEqualTo(status);
    assertThat(last.path("error").asString()).contains(reason).doesNotContain("secret");
  }

  @Test
  void whatIsWrongBeforeTheWorkBeginsIsAPlainError() throws IOException {
    Answer answer = server.post("/v1/snapshots", "{\"tag\":\"t\"}", NDJSON);
    assertThat(answer.status()).isEqualTo(400);
    assertThat(answer.error()).contains("recipe or rootfs is missing");
  }

  @Test
  void theWorkGoesOnWhenTheClientGoesAway() throws Exception {
    try (Wire wire = server.tcp()) {
      wire.request("POST", "/v1/snapshots", "{\"tag\":\"wait-2\",\"recipe\":\"r\"}", NDJSON);
      assertThat(wire.head().status()).isEqualTo(200);
      assertThat(firstThatIsNoHeartbeat(wire)).contains("rootfs");
    }
    server.forkd.snapshotGate.countDown();
    while (!server.forkd.snapshots.containsKey(Tag.of("wait-2"))) {
      Thread.sleep(10);
    }
    assertThat(server.get("/v1/snapshots/wait-2/info").status()).isEqualTo(200);
  }

  @Test
  void manyStreamsAndPlainRequestsDoNotDisturbEachOther() throws IOException {
    List<Wire> wires = new ArrayList<>();
    for (int i = 0; i < 32; i++) {
      Wire wire = server.unix();
      wires.add(wire);
      wire.request(
          "POST", "/v1/snapshots", "{\"tag\":\"wait-%d\",\"recipe\":\"r\"}".formatted(i), NDJSON);
    }
    assertThat(server.get("/healthz").status()).isEqualTo(200);
    server.forkd.snapshotGate.countDown();
    for (Wire wire : wires) {
      assertThat(wire.answer().text()).contains("\"snapshot\"");
      wire.close();
    }
  }
}
