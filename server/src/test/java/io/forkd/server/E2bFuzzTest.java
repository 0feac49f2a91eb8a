package io.forkd.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import tools.jackson.databind.JsonNode;

/**
 * Requests to the inside of a sandbox that make no sense, at random: each is answered, none with a
 * failure of the daemon. {@code -Dforkd.test.seed=N} tries other ones.
 */
@Timeout(180)
class E2bFuzzTest {
  private static final int ROUNDS = 300;
  private static final List<String> UNARY =
      List.of(
          "/process.Process/List",
          "/process.Process/SendInput",
          "/process.Process/CloseStdin",
          "/process.Process/SendSignal",
          "/process.Process/Update",
          "/filesystem.Filesystem/Stat",
          "/filesystem.Filesystem/ListDir",
          "/filesystem.Filesystem/Move",
          "/filesystem.Filesystem/CreateWatcher",
          "/filesystem.Filesystem/GetWatcherEvents",
          "/filesystem.Filesystem/RemoveWatcher",
          "/process.Process/" + "x".repeat(500));
  private static final List<String> STREAMS =
      List.of(
          "/process.Process/Start",
          "/process.Process/Connect",
          "/process.Process/StreamInput",
          "/filesystem.Filesystem/WatchDir");
  private static final List<String> NAMES =
      List.of(
          "process",
          "pid",
          "tag",
          "input",
          "stdin",
          "pty",
          "signal",
          "size",
          "cols",
          "path",
          "depth",
          "source",
          "destination",
          "watcherId",
          "cmd",
          "args",
          "envs",
          "cwd",
          "start");
  private static final List<String> VALUES =
      List.of(
          "null",
          "1",
          "-1",
          "1e99",
          "true",
          "\"\"",
          "\"x\"",
          "\"\\u0000\"",
          "[]",
          "[1]",
          "{}",
          "\"/no/such/place\"",
          "\"!!\"",
          "{\"pid\":4294967296}",
          "{\"tag\":\"none\"}",
          "{\"cmd\":\"/no/such/program\"}",
          "\"" + "y".repeat(5000) + "\"");

  private final ApiKeys keys = new ApiKeys(KeyStore.inMemory(), InstantSource.system());
  private final TestServer server =
      TestServer.with(
          new Access(Optional.empty(), keys, Principals.Door.LOCAL, new Throttle.Limits(0, 1, 1)));
  private final Random random = new Random(Long.getLong("forkd.test.seed", 20_261_115));
  private String id = "";
  private String token = "";

  @BeforeEach
  void open() throws IOException {
    String key = keys.create("k", Role.USER, Optional.empty(), Optional.empty()).key().hexText();
    try (Wire wire = server.tcp()) {
      wire.request("POST", "/v2/sandboxes", "{\"templateID\":\"base\"}", "X-API-KEY: " + key);
      JsonNode made = wire.answer().json();
      id = made.path("sandboxID").asString();
      token = made.path("envdAccessToken").asString();
    }
  }

  @AfterEach
  void close() throws IOException {
    server.close();
  }

  private <T> T oneOf(List<T> all) {
    return all.get(random.nextInt(all.size()));
  }

  private String json() {
    StringBuilder json = new StringBuilder("{");
    for (int i = random.nextInt(5); i >= 0; i--) {
      String inner =
          random.nextInt(3) == 0
              ? "{\"%s\":%s}".formatted(oneOf(NAMES), oneOf(VALUES))
              : oneOf(VALUES);
      json.append("\"%s\":%s%s".formatted(oneOf(NAMES), inner, i == 0 ? "" : ","));
    }
    String whole = json.append('}').toString();
    return random.nextInt(8) == 0 ? whole.substring(0, random.nextInt(whole.length())) : whole;
  }

  private byte[] framed(String json) {
    byte[] payload = json.getBytes(StandardCharsets.UTF_8);
    int length = random.nextInt(6) == 0 ? random.nextInt() : payload.length;
    byte flags = (byte) (random.nextInt(6) == 0 ? random.nextInt(256) : 0);
    return ByteBuffer.allocate(5 + payload.length).put(flags).putInt(length).put(payload).array();
  }

  private int status(String method, String path, String port, String type, byte[] body)
      throws IOException {
    try (Wire wire = server.tcp()) {
      wire.send(
          "%s %s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nE2b-Sandbox-Id: %s\r\nE2b-Sandbox-Port: %s\r\nX-Access-Token: %s\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n"
              .formatted(method, path, id, port, token, type, body.length));
      wire.send(body);
      wire.endOutput();
      return wire.answer().status();
    }
  }

  private static void isAnAnswer(int status, Object what) {
    assertThat(status).as(String.valueOf(what)).matches(s -> s < 500 || s == 501 || s == 502);
  }

  @Test
  void callsWithNonsenseAreAnswered() throws IOException {
    for (int i = 0; i < ROUNDS; i++) {
      String path = oneOf(UNARY);
      String json = json();
      isAnAnswer(
          status("POST", path, "49983", "application/json", json.getBytes(StandardCharsets.UTF_8)),
          path + " " + json);
    }
  }

  @Test
  void streamsWithNonsenseEnd() throws IOException {
    for (int i = 0; i < ROUNDS; i++) {
      String path = oneOf(STREAMS);
      String json = json().replace("\"path\":\"\"", "\"path\":\"/no/such/place\"");
      isAnAnswer(
          status("POST", path, "49983", "application/connect+json", framed(json)),
          path + " " + json);
    }
  }

  @Test
  void filesPortsAndCodeWithNonsenseAreAnswered() throws IOException {
    List<String> paths =
        List.of(
            "/files",
            "/files?path=",
            "/files?path=%00",
            "/files?path=/no/such&username=%ff",
            "/health",
            "/init",
            "/execute",
            "/contexts",
            "/contexts/x/restart",
            "/contexts/x",
            "/files?path=/proc/self/mem/x",
            "//",
            "/metrics/x",
            "/files?signature=v1_x&path=x");
    List<String> types =
        List.of(
            "application/json",
            "multipart/form-data; boundary=b",
            "multipart/form-data",
            "application/octet-stream",
            "x");
    for (int i = 0; i < ROUNDS; i++) {
      String path = oneOf(paths);
      String body = random.nextBoolean() ? json() : "--b\r\n" + json();
      String type =
          path.equals("/files") || !path.startsWith("/files") ? oneOf(types) : "application/json";
      String port = oneOf(List.of("49983", "49999", "0", "99999", "x", "-1"));
      String method = oneOf(List.of("GET", "POST", "DELETE", "PUT"));
      isAnAnswer(
          status(method, path, port, type, body.getBytes(StandardCharsets.UTF_8)),
          method + " " + path + " " + port + " " + type + " " + body);
    }
  }
}
