package io.forkd.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import tools.jackson.databind.JsonNode;

/** Streams of E2B's clients that go on for as long as their client likes. */
@Timeout(60)
class E2bStreamTest {
  private static final String FRAMES = "Content-Type: application/connect+json";
  private static final String JSON = "Content-Type: application/json";

  private final ApiKeys keys = new ApiKeys(KeyStore.inMemory(), InstantSource.system());
  private final TestServer server =
      TestServer.with(
          new Access(
              Optional.empty(), keys, Principals.Door.LOCAL, new Throttle.Limits(1000, 2000, 1)));
  private final ApiKeys.Created alice =
      keys.create("alice", Role.USER, Optional.empty(), Optional.empty());
  private JsonNode sandbox;

  @BeforeEach
  void create() throws IOException {
    String key = "X-API-KEY: " + alice.key().hexText();
    sandbox = call("POST", "/v2/sandboxes", "{\"templateID\":\"base\"}", key, JSON).json();
  }

  @AfterEach
  void close() throws IOException {
    server.close();
  }

  private Answer call(String method, String path, String body, String... headers)
      throws IOException {
    try (Wire wire = server.tcp()) {
      wire.request(method, path, body, headers);
      return wire.answer();
    }
  }

  /** A stream after its first message. */
  private Wire stream() throws IOException {
    String start = "{\"process\":{\"cmd\":\"/bin/sleep\",\"args\":[\"1000\"]}}";
    Wire wire = server.tcp();
    wire.request(
        "POST",
        "/process.Process/Start",
        "\0\0\0\0" + (char) start.getBytes(StandardCharsets.UTF_8).length + start,
        E2bApiTest.envd(sandbox, FRAMES));
    assertThat(wire.head().status()).isEqualTo(200);
    assertThat(wire.chunk()).contains("\"pid\"");
    return wire;
  }

  private Answer execute() throws IOException {
    return call(
        "POST",
        "/execute",
        "{\"code\":\"1\"}",
        "E2b-Sandbox-Id: " + E2bApiTest.id(sandbox),
        "E2b-Sandbox-Port: 49999",
        "X-Access-Token: " + sandbox.path("envdAccessToken").asString(),
        JSON);
  }

  @Test
  void aStreamIsNoRequestUnderWay() throws IOException {
    try (Wire _ = stream()) {
      assertThat(call("GET", "/health", "", E2bApiTest.envd(sandbox)).status()).isEqualTo(204);
    }
  }

  @Test
  void thereAreOnlySoManyStreams() throws IOException {
    try (Wire _ = stream()) {
      Answer refused = execute();

      assertThat(refused.status()).isEqualTo(429);
      assertThat(refused.json().path("message").asString()).contains("1 streams open");
    }
  }

  @Test
  void aStreamEndsWithTheKeyThatItsTokenWasMadeFor() throws IOException {
    try (Wire wire = stream()) {
      keys.revoke(alice.kept().id());
      byte[] buffer = new byte[4096];
      int count = 0;
      while (count >= 0) {
        try {
          count = wire.read(buffer);
        } catch (IOException e) {
          count = -1;
        }
      }
    }
  }

  @Test
  void aTokenIsRefusedWhenItsKeyIsRevokedAndAnotherKeyGetsItsOwn() throws IOException {
    ApiKeys.Created second =
        keys.create("second", Role.USER, Optional.of("alice"), Optional.empty());
    String connect = "/sandboxes/%s/connect".formatted(E2bApiTest.id(sandbox));
    JsonNode again =
        call("POST", connect, "{\"timeout\":60}", "X-API-KEY: " + second.key().hexText(), JSON)
            .json();
    assertThat(call("GET", "/metrics", "", E2bApiTest.envd(sandbox)).status()).isEqualTo(200);

    keys.revoke(alice.kept().id());
    assertThat(call("GET", "/metrics", "", E2bApiTest.envd(sandbox)).status()).isEqualTo(401);
    assertThat(call("GET", "/metrics", "", E2bApiTest.envd(again)).status()).isEqualTo(200);
  }
}
