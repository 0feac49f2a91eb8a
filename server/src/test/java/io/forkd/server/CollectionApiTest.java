package io.forkd.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.forkd.base.Tag;
import java.io.IOException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Garbage collection of what has expired. */
@Timeout(60)
class CollectionApiTest {
  private final TestServer server = TestServer.open();

  @BeforeEach
  void branches() throws IOException {
    String path = "/v1/sandboxes/" + server.fork() + "/branch";
    server.post(path, "{\"tag\":\"short\",\"ttl_secs\":10}");
    server.post(path, "{\"tag\":\"long\",\"ttl_secs\":1000}");
    server.post(path, "{\"tag\":\"kept\"}");
    server.forkd.family.now = FakeForkd.CREATED.plusSeconds(10);
  }

  @AfterEach
  void stop() throws IOException {
    server.close();
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "{}", "{\"dry_run\":false}", "{\"dry_run\":null,\"more\":{}}"})
  void removesWhatHasExpired(String body) throws IOException {
    Answer answer = server.post("/v1/gc", body);
    assertThat(answer.status()).isEqualTo(200);
    assertThat(answer.text())
        .isEqualTo(
            """
            {"dry_run":false,"freed_bytes":5000,\
            "collected":[{"tag":"short","reason":"expired","bytes":5000}]}""");
    assertThat(server.forkd.snapshots)
        .containsOnlyKeys(Tag.of("base"), Tag.of("long"), Tag.of("kept"));
    assertThat(server.post("/v1/gc", "").text())
        .isEqualTo("{\"dry_run\":false,\"freed_bytes\":0,\"collected\":[]}");
  }

  @Test
  void aDryRunOnlyTells() throws IOException {
    Answer answer = server.post("/v1/gc", "{\"dry_run\":true}");
    assertThat(answer.status()).isEqualTo(200);
    assertThat(answer.json().path("dry_run").asBoolean()).isTrue();
    assertThat(answer.json().path("collected").path(0).path("tag").asString()).isEqualTo("short");
    assertThat(server.forkd.snapshots).hasSize(4);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{\"dry_run\":\"yes\"}|dry_run has the wrong type: expected true or false, found a string.",
        "{\"dry_run\":1}|found an integer",
        "{\"dry_run\":[true]}|found an array",
        "true|The body is a boolean",
        "{\"dry_run\"|not valid JSON"
      })
  void refusesBadRequestsAndSaysWhy(String body, String reason) throws IOException {
    Answer answer = server.post("/v1/gc", body);
    assertThat(answer.status()).isEqualTo(400);
    assertThat(answer.error()).contains(reason);
    assertThat(server.forkd.snapshots).hasSize(4);
  }
}
