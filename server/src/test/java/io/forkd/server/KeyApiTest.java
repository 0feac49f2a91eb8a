package io.forkd.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.forkd.registry.Registry;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;

@Timeout(60)
class KeyApiTest {
  private static final String BOSS = "Authorization: Bearer " + TestServer.TOKEN;

  private TestServer server;

  @BeforeEach
  void start() throws IOException {
    server = TestServer.withToken();
  }

  @AfterEach
  void stop() throws IOException {
    server.close();
  }

  @Test
  void aKeyOpensTheDoorInBothFormsAndBothHeaders() throws IOException {
    JsonNode made = make("{\"name\":\"ci\",\"role\":\"user\"}").json();
    String key = made.path("key").asString();
    String e2b = made.path("e2b_key").asString();
    assertThat(key).matches("fk_[0-9a-f]{16}_[A-Za-z0-9_-]{43}");
    assertThat(e2b).matches("e2b_[0-9a-f]{80}");
    for (String header :
        new String[] {
          "Authorization: Bearer " + key,
          "Authorization: Bearer " + e2b,
          "X-API-Key: " + key,
          "X-API-Key: " + e2b
        }) {
      JsonNode me = server.get("/v1/whoami", header).json();
      assertThat(me.path("name").asString()).isEqualTo("ci");
      assertThat(me.path("role").asString()).isEqualTo("user");
      assertThat(me.path("owner").asString()).isEqualTo("ci");
    }
  }

  @Test
  void theTokenIsAnAdminBoundToNobody() throws IOException {
    JsonNode me = server.get("/v1/whoami", BOSS).json();
    assertThat(me.path("name").asString()).isEqualTo("token");
    assertThat(me.path("role").asString()).isEqualTo("admin");
    assertThat(me.has("owner")).isFalse();
  }

  @Test
  void secretsAreShownOnce() throws IOException {
    String key = make("{\"name\":\"ci\",\"role\":\"admin\"}").json().path("key").asString();
    Answer list = server.get("/v1/keys", BOSS);
    assertThat(list.json().path(0).path("name").asString()).isEqualTo("ci");
    assertThat(list.text()).doesNotContain(key.substring(20), "\"key\"", "hash");
  }

  @Test
  void aRevokedKeyOpensNothingFromTheNextRequestOn() throws IOException {
    JsonNode made = make("{\"name\":\"ci\",\"role\":\"admin\"}").json();
    String header = "Authorization: Bearer " + made.path("key").asString();
    String path = "/v1/keys/" + made.path("id").asString();
    assertThat(server.get("/v1/whoami", header).status()).isEqualTo(200);
    assertThat(server.call("DELETE", path, "", BOSS).status()).isEqualTo(204);
    assertThat(server.get("/v1/whoami", header).status()).isEqualTo(401);
    assertThat(server.call("DELETE", path, "", BOSS).status()).isEqualTo(404);
  }

  @Test
  void aRevokedKeyIsNoBetterThanNoneWhereNoneIsNeeded() throws IOException {
    try (TestServer open = TestServer.open()) {
      String revoked = ApiKey.random(new Random(7)).text();
      assertThat(open.get("/v1/whoami").json().path("name").asString()).isEqualTo("anonymous");
      assertThat(open.get("/v1/whoami", "Authorization: Bearer other-secret").status())
          .isEqualTo(200);
      assertThat(open.get("/v1/whoami", "Authorization: Bearer " + revoked).status())
          .isEqualTo(401);
    }
  }

  @Test
  void theFirstKeyShutsTheDoorToStrangersForGood() throws IOException {
    try (TestServer open = TestServer.open()) {
      JsonNode made = open.post("/v1/keys", "{\"name\":\"ci\",\"role\":\"admin\"}").json();
      String header = "Authorization: Bearer " + made.path("key").asString();
      assertThat(open.get("/v1/whoami").status()).isEqualTo(401);
      assertThat(open.call("DELETE", "/v1/keys/" + made.path("id").asString(), "", header).status())
          .isEqualTo(204);
      assertThat(open.get("/v1/whoami").status()).isEqualTo(401);
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{\"role\":\"user\"}|400|name is missing",
        "{\"name\":\"a\"}|400|role is missing",
        "{\"name\":\"a\",\"role\":\"root\"}|400|read_only, user, operator, admin",
        "{\"name\":\"a b\",\"role\":\"user\"}|400|no name for a key",
        "{\"name\":\"uid:0\",\"role\":\"user\"}|400|no name for a key",
        "{\"name\":\"token\",\"role\":\"user\"}|400|no name for a key",
        "{\"name\":\"anonymous\",\"role\":\"user\"}|400|no name for a key",
        "{\"name\":\"a\",\"role\":\"user\",\"owner\":\"\"}|400|no name for an owner",
        "{\"name\":\"a\",\"role\":\"user\",\"owner\":\"x/y\"}|400|no name for an owner",
        "{\"name\":\"a\",\"role\":\"user\",\"expires_in_secs\":0}|400|expires_in_secs"
      })
  void badKeysAreNotMade(String body, int status, String why) throws IOException {
    Answer answer = server.post("/v1/keys", body, BOSS);
    assertThat(answer.status()).isEqualTo(status);
    assertThat(answer.error()).contains(why);
  }

  @Test
  void twoKeysCannotShareAName() throws IOException {
    make("{\"name\":\"ci\",\"role\":\"user\"}");
    Answer second = server.post("/v1/keys", "{\"name\":\"ci\",\"role\":\"user\"}", BOSS);
    assertThat(second.status()).isEqualTo(409);
  }

  @Test
  void aKeyHasOneSpelling() {
    ApiKey key = ApiKey.random(new Random(1));
    assertThat(ApiKey.parse(key.text())).map(ApiKey::text).contains(key.text());
    assertThat(ApiKey.parse(key.hexText())).map(ApiKey::text).contains(key.text());
    String start = key.text().substring(0, key.text().length() - 1);
    // The last character says four bits of six; the other two must be zero.
    assertThat(
            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
                .chars()
                .filter(c -> ApiKey.parse(start + (char) c).isPresent())
                .count())
        .isEqualTo(16);
    assertThat(key.toString()).doesNotContain(key.text().substring(20));
  }

  @Test
  void keysOutliveTheDaemonAndRememberTheirUse(@TempDir Path folder) {
    Instant start = Instant.parse("2030-01-01T00:00:00Z");
    ApiKeys.Created made;
    ApiKeys.Created gone;
    try (Registry registry = Registry.open(folder)) {
      ApiKeys keys = new ApiKeys(new RegistryKeys(registry), InstantSource.fixed(start));
      assertThat(keys.inUse()).isFalse();
      made =
          keys.create("ci", Role.OPERATOR, Optional.of("team"), Optional.of(Duration.ofHours(1)));
      gone = keys.create("gone", Role.ADMIN, Optional.empty(), Optional.empty());
      assertThat(keys.verify(made.key().text())).isPresent();
      keys.revoke(gone.kept().id());
    }
    try (Registry registry = Registry.open(folder)) {
      ApiKeys keys = new ApiKeys(new RegistryKeys(registry), InstantSource.fixed(start));
      assertThat(keys.verify(made.key().text()))
          .contains(
              new Principal(
                  "ci", Role.OPERATOR, Optional.of("team"), Optional.of(made.kept().id())));
      assertThat(keys.verify(gone.key().text())).isEmpty();
      assertThat(keys.all())
          .singleElement()
          .satisfies(key -> assertThat(key.lastUsed()).contains(start));
      assertThat(keys.inUse()).isTrue();
    }
    try (Registry registry = Registry.open(folder)) {
      InstantSource later = InstantSource.fixed(start.plus(Duration.ofHours(1)));
      ApiKeys keys = new ApiKeys(new RegistryKeys(registry), later);
      assertThat(keys.verify(made.key().text())).isEmpty();
      keys.revoke(made.kept().id());
      assertThat(new ApiKeys(new RegistryKeys(registry), later).inUse()).isTrue();
    }
  }

  private Answer make(String body) throws IOException {
    Answer answer = server.post("/v1/keys", body, BOSS);
    assertThat(answer.status()).as(answer.toString()).isEqualTo(201);
    return answer;
  }
}
