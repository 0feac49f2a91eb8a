package io.forkd.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import tools.jackson.databind.JsonNode;

@Timeout(60)
class AuditTest {
  private static final String BEARER = "Authorization: Bearer " + TestServer.TOKEN;

  private TestServer server;

  @BeforeEach
  void start() throws IOException {
    server = TestServer.withToken();
  }

  @AfterEach
  void stop() throws IOException {
    server.close();
  }

  private Path file() {
    return server.data.resolve("log/audit.jsonl");
  }

  /** Every line, once no more can come. */
  private List<JsonNode> lines() throws IOException {
    server.stop();
    return Files.exists(file())
        ? Files.readAllLines(file()).stream().map(Answer::parse).toList()
        : List.of();
  }

  @Test
  void saysWhoDidWhatToWhatWithWhichResult() throws IOException {
    Answer made =
        server.post(
            "/v1/sandboxes",
            "{\"snapshot_tag\":\"base\",\"n\":2}",
            BEARER,
            "X-Request-Id: job-17:3");
    JsonNode line = lines().getFirst();
    assertThat(Instant.parse(line.path("time").asString())).isBefore(Instant.now());
    assertThat(line.path("request_id").asString()).isEqualTo("job-17:3");
    assertThat(line.path("principal").asString()).isEqualTo("token");
    assertThat(line.path("role").asString()).isEqualTo("admin");
    assertThat(line.has("owner")).isFalse();
    assertThat(line.path("remote").asString()).isEqualTo("127.0.0.1");
    assertThat(line.path("method").asString()).isEqualTo("POST");
    assertThat(line.path("route").asString()).isEqualTo("/v1/sandboxes");
    assertThat(line.path("subjects"))
        .isEqualTo(
            Answer.parse(
                "[\"base\",%s,%s]"
                    .formatted(made.json().path(0).path("id"), made.json().path(1).path("id"))));
    assertThat(line.path("status").asInt()).isEqualTo(201);
    assertThat(line.path("ms").isNumber()).isTrue();
    assertThat(line.has("error")).isFalse();
  }

  @Test
  void saysOfAUserWhoseItIsAndOfTheSocketWhichUser() throws IOException {
    Answer key =
        server.post("/v1/keys", "{\"name\":\"ci\",\"role\":\"user\",\"owner\":\"alice\"}", BEARER);
    String bearer = "Authorization: Bearer " + key.json().path("key").asString();
    server.post("/v1/sandboxes", "{\"snapshot_tag\":\"base\"}", bearer);
    try (Wire wire = server.unix()) {
      wire.request("DELETE", "/v1/snapshots/base", "");
      wire.answer();
    }
    List<JsonNode> lines = lines();
    assertThat(lines.get(0).path("subjects").path(0)).isEqualTo(key.json().path("id"));
    assertThat(lines.get(1).path("owner").asString()).isEqualTo("alice");
    assertThat(lines.get(1).path("role").asString()).isEqualTo("user");
    assertThat(lines.get(2).path("remote").asString())
        .isEqualTo("uid:" + Files.getAttribute(Path.of("/proc/self"), "unix:uid"));
    assertThat(lines.get(2).path("subjects")).isEqualTo(Answer.parse("[\"base\"]"));
  }

  @Test
  void readingIsNotWrittenDownButRefusalsAre() throws IOException {
    server.get("/v1/snapshots", BEARER);
    server.get("/healthz");
    server.post("/v1/diff", "{\"a\":\"base\",\"b\":\"base\"}", BEARER);
    server.get("/v1/snapshots");
    server.get("/no/such/route");
    server.post("/v1/sandboxes", "{\"snapshot_tag\":\"none\"}", BEARER);
    List<JsonNode> lines = lines();
    assertThat(lines.stream().map(line -> line.path("status").asInt()))
        .containsExactly(401, 401, 404);
    assertThat(lines.get(0).has("principal")).isFalse();
    assertThat(lines.get(0).path("error").asString()).isEqualTo("http_401");
    assertThat(lines.get(1).has("route")).isFalse();
    assertThat(lines.get(2).path("error").asString()).isEqualTo("not_found");
    assertThat(lines.get(2).path("subjects")).isEqualTo(Answer.parse("[\"none\"]"));
  }

  @Test
  void ofWhatIsPassedOnToAGuestReadingIsNotWrittenDown() throws IOException {
    String id = "sb-00000000-0001";
    server.get("/v1/sandboxes/%s/ports/80/secret/path".formatted(id), BEARER);
    server.post("/v1/sandboxes/%s/ports/80/secret/path".formatted(id), "", BEARER);
    server.get(
        "/v1/sandboxes/%s/ports/81".formatted(id),
        BEARER,
        "Connection: Upgrade",
        "Upgrade: forkd-tcp");
    List<JsonNode> lines = lines();
    assertThat(lines.stream().map(line -> line.path("subjects").toString()))
        .containsExactly("[\"%s\",\"80\"]".formatted(id), "[\"%s\",\"81\"]".formatted(id));
    assertThat(lines.getFirst().path("method").asString()).isEqualTo("POST");
  }

  @Test
  void aStreamedFailureIsAFailure() throws IOException {
    server.post(
        "/v1/snapshots",
        "{\"tag\":\"boom-FULL\",\"recipe\":\"r\"}",
        BEARER,
        "Accept: application/x-ndjson");
    JsonNode line = lines().getFirst();
    assertThat(line.path("status").asInt()).isEqualTo(200);
    assertThat(line.path("error").asString()).isEqualTo("full");
  }

  @Test
  void secretsNeverReachIt() throws IOException {
    String id =
        server
            .post("/v1/sandboxes", "{\"snapshot_tag\":\"base\"}", BEARER)
            .json()
            .path(0)
            .path("id")
            .asString();
    String path = "/v1/sandboxes/" + id;
    server.post(path + "/eval?token=HIDDEN", "{\"code\":\"HIDDEN\"}", BEARER);
    server.post(path + "/exec", "{\"args\":[\"HIDDEN\"]}", BEARER, "X-Request-Id: HID DEN");
    server.post(path + "/eval", "{\"code\":\"x\"}", "Authorization: Bearer HIDDEN-HIDDEN-HIDDEN");
    server.post("/v1/snapshots", "{\"tag\":\"t\",\"recipe\":\"r\",\"warmup\":\"HIDDEN\"}", BEARER);
    String key =
        server
            .post("/v1/keys", "{\"name\":\"k\",\"role\":\"user\",\"owner\":\"o\"}", BEARER)
            .json()
            .path("key")
            .asString();
    assertThat(lines()).hasSize(6);
    assertThat(Files.readString(file()))
        .doesNotContain("HIDDEN")
        .doesNotContain("HID DEN")
        .doesNotContain(TestServer.TOKEN)
        .doesNotContain(key);
  }

  @Test
  void isForItsOwnerOnly() throws IOException {
    server.post("/v1/gc", "", BEARER);
    lines();
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file())))
        .isEqualTo("rw-------");
  }

  @Test
  void strangersCannotFloodIt() throws IOException {
    try (Wire wire = server.tcp()) {
      for (int i = 0; i < 300; i++) {
        wire.request("GET", "/v1/snapshots", "", "Authorization: Bearer no-" + i);
        assertThat(wire.answer().status()).isIn(401, 429);
      }
      wire.request("POST", "/v1/gc", "", BEARER);
      assertThat(wire.answer().status()).isIn(200, 429);
    }
    List<JsonNode> lines = lines();
    assertThat(lines.size()).isLessThan(290);
    assertThat(lines.getLast().path("route").asString()).isEqualTo("/v1/gc");
  }

  @Test
  void everyAnswerNamesItsRequest() throws IOException {
    assertThat(server.get("/healthz").header("x-request-id")).matches("rq-[0-9a-f]{12}");
    assertThat(server.get("/nowhere", BEARER, "X-Request-Id: a.b:c-1").header("x-request-id"))
        .isEqualTo("a.b:c-1");
    assertThat(server.get("/healthz", "X-Request-Id: \"quoted\"").header("x-request-id"))
        .matches("rq-[0-9a-f]{12}");
    assertThat(server.get("/healthz", "X-Request-Id: " + "x".repeat(65)).header("x-request-id"))
        .matches("rq-[0-9a-f]{12}");
  }
}
