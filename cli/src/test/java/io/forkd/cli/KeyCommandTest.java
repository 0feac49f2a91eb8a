package io.forkd.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.forkd.client.Json;
import java.io.IOException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class KeyCommandTest {
  private static final String KEYS =
      """
      [{"id":"0123456789abcdef","name":"ci","role":"user","owner":"team","created_at_unix":1,"last_used_unix":1893456000},
      {"id":"fedcba9876543210","name":"0123456789abcdef","role":"admin","created_at_unix":2,"expires_at_unix":1893456000}]\
      """;

  private FakeRoutes daemon;

  @BeforeEach
  void start() throws IOException {
    daemon = new FakeRoutes().on("GET /v1/keys", 200, KEYS);
  }

  @AfterEach
  void stop() {
    daemon.close();
  }

  @Test
  void aNewKeyAloneIsWhatAScriptReads() {
    daemon.on(
        "POST /v1/keys",
        201,
        "{\"id\":\"a\",\"name\":\"ci\",\"role\":\"user\",\"owner\":\"team\",\"key\":\"fk_1_2\",\"e2b_key\":\"e2b_3\"}");
    assertThat(daemon.run("key", "create", "ci", "--owner", "team", "--expires", "2h")).isZero();
    assertThat(daemon.out()).isEqualTo("fk_1_2\n");
    assertThat(daemon.err()).contains("role user for what is team's", "not shown again", "e2b_3");
    assertThat(daemon.body("POST /v1/keys"))
        .isEqualTo(
            "{\"name\":\"ci\",\"role\":\"user\",\"owner\":\"team\",\"expires_in_secs\":7200}");
    assertThat(daemon.run("key", "create", "ci", "--role", "read-only", "--json")).isZero();
    assertThat(Json.parseObject(daemon.out()).text("key")).isEqualTo("fk_1_2");
    assertThat(daemon.body("POST /v1/keys")).contains("\"role\":\"read_only\"");
  }

  @Test
  void keysAreListed() {
    assertThat(daemon.run("key", "ls")).isZero();
    assertThat(daemon.out())
        .contains("0123456789abcdef  ci ", "team", "2030-01-01T00:00:00Z", "admin");
    daemon.on("GET /v1/keys", 200, "[]");
    assertThat(daemon.run("key", "ls")).isZero();
    assertThat(daemon.err()).contains("forkd key create");
  }

  @Test
  void keysAreRevokedByIdOrName() {
    daemon.on("DELETE /v1/keys/0123456789abcdef", 204, "");
    assertThat(daemon.run("key", "revoke", "ci")).isZero();
    assertThat(daemon.out()).contains("Revoked ci");
    assertThat(daemon.asked()).contains("DELETE /v1/keys/0123456789abcdef");
  }

  @Test
  void anIdComesBeforeANameThatLooksLikeIt() {
    daemon.on("DELETE /v1/keys/0123456789abcdef", 204, "");
    assertThat(daemon.run("key", "revoke", "0123456789abcdef")).isZero();
    assertThat(daemon.out()).contains("Revoked ci");
  }

  @Test
  void aKeyThatIsNotThereIsNotRevoked() {
    assertThat(daemon.run("key", "revoke", "ci", "nope")).isEqualTo(1);
    assertThat(daemon.err()).contains("'nope'", "forkd key ls");
    assertThat(daemon.asked()).noneMatch(line -> line.startsWith("DELETE"));
  }
}
