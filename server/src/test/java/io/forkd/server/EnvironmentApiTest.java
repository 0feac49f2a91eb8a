package io.forkd.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.forkd.base.SandboxId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** What a guest is given at its birth and later, what it uses, and what is written down of it. */
@Timeout(60)
class EnvironmentApiTest {
  @TempDir Path folder;

  private final TestServer server = TestServer.open();

  @AfterEach
  void stop() throws IOException {
    server.forkd.guests.close();
    server.close();
  }

  private String value(String id, String name) throws IOException {
    String body = "{\"cmd\":\"echo $%s\"}".formatted(name);
    try (Lines lines =
        Lines.of(server, "POST", "/v1/sandboxes/" + id + "/processes?stream=true", body)) {
      return Lines.text(lines.rest(), "stdout").strip();
    }
  }

  @Test
  void variablesAreSetForWhatIsStartedLater() throws IOException {
    String id = server.fork();
    Answer set =
        server.call("PUT", "/v1/sandboxes/" + id + "/env", "{\"A\":\"b c\",\"EMPTY\":\"\"}");
    assertThat(set.status()).as(set.toString()).isEqualTo(204);
    assertThat(value(id, "A")).isEqualTo("b c");
    assertThat(server.call("PUT", "/v1/sandboxes/" + id + "/env", "{}").status()).isEqualTo(204);
    assertThat(value(id, "A")).isEqualTo("b c");
  }

  @ParameterizedTest
  @ValueSource(strings = {"{\"\":\"x\"}", "{\"A=B\":\"x\"}", "{\"A\":\"\\u0000\"}", "{\"A\":1}"})
  void whatNoProcessCanHaveIsRefused(String body) throws IOException {
    String id = server.fork();
    assertThat(server.call("PUT", "/v1/sandboxes/" + id + "/env", body).status()).isEqualTo(400);
    String fork = "{\"snapshot_tag\":\"base\",\"env\":%s}".formatted(body);
    assertThat(server.post("/v1/sandboxes", fork).status()).isEqualTo(400);
    assertThat(server.forkd.sandboxes).hasSize(1);
  }

  @Test
  void childrenAreBornWithIt() throws IOException {
    Answer forked =
        server.post("/v1/sandboxes", "{\"snapshot_tag\":\"base\",\"n\":2,\"env\":{\"A\":\"b\"}}");
    assertThat(forked.status()).as(forked.toString()).isEqualTo(201);
    String first = forked.json().path(0).path("id").asString();
    assertThat(value(first, "A")).isEqualTo("b");
    assertThat(value(forked.json().path(1).path("id").asString(), "A")).isEqualTo("b");
    Answer fanned =
        server.post("/v1/sandboxes/" + first + "/fork", "{\"tag\":\"t\",\"env\":{\"A\":\"c\"}}");
    assertThat(fanned.status()).as(fanned.toString()).isEqualTo(201);
    assertThat(value(fanned.json().at("/sandboxes/0/id").asString(), "A")).isEqualTo("c");
  }

  @Test
  void aChildThatDoesNotTakeItIsEndedAndReported() throws IOException {
    SandboxId deaf = SandboxId.of("%010x".formatted(1), 1);
    server.forkd.guests.refuse(deaf);
    Answer forked =
        server.post("/v1/sandboxes", "{\"snapshot_tag\":\"base\",\"n\":3,\"env\":{\"A\":\"b\"}}");
    assertThat(forked.status()).as(forked.toString()).isEqualTo(201);
    assertThat(forked.json().values()).as(forked.toString()).hasSize(2);
    assertThat(forked.header("forkd-failures")).contains("\"index\":1", "environment");
    assertThat(server.forkd.sandboxes).hasSize(2).doesNotContainKey(deaf);
  }

  @Test
  void aGuestTellsWhatItUses() throws IOException {
    JsonNode metrics = server.get("/v1/sandboxes/" + server.fork() + "/metrics").json();
    assertThat(Instant.parse(metrics.path("at").asString())).isBefore(Instant.MAX);
    assertThat(metrics.path("cpus").asInt()).isPositive();
    assertThat(metrics.path("memory_total").asLong()).isPositive();
    assertThat(metrics.path("memory_used").asLong())
        .isPositive()
        .isLessThan(metrics.path("memory_total").asLong());
    assertThat(metrics.path("disk_used").asLong())
        .isPositive()
        .isLessThan(metrics.path("disk_total").asLong());
  }

  @Test
  void theAuditLogNamesAndDoesNotTell() throws IOException {
    String id = server.fork();
    String sandbox = "/v1/sandboxes/" + id;
    server.call("PUT", sandbox + "/env", "{\"TOKEN\":\"secret-1\"}");
    server.post(sandbox + "/processes", "{\"cmd\":\": secret-2\",\"env\":{\"A\":\"secret-3\"}}");
    Path file = folder.resolve("named");
    server.call("PUT", sandbox + "/files?path=" + file, "secret-4");
    server.post(sandbox + "/execute", "{\"code\":\"'secret-5'\",\"timeout_secs\":0}");
    server.stop();
    String audit = Files.readString(server.data.resolve("log/audit.jsonl"));
    assertThat(audit)
        .contains("{id}/env", "{id}/processes", "{id}/files", "{id}/execute", file.toString())
        .doesNotContain("secret");
  }
}
