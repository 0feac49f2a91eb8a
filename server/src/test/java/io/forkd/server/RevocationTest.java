package io.forkd.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What was opened with a key ends with it. */
@Timeout(60)
class RevocationTest {
  private final AtomicReference<Instant> now = new AtomicReference<>(Instant.now());
  private final ApiKeys keys = new ApiKeys(KeyStore.inMemory(), now::get);
  private final TestServer server =
      TestServer.with(
          new Access(Optional.empty(), keys, Principals.Door.LOCAL, Throttle.Limits.DEFAULT));
  private final ApiKeys.Created mine = key("mine", Optional.of(Duration.ofHours(1)));
  private final ApiKeys.Created other = key("other", Optional.empty());
  private final List<Wire> wires = new ArrayList<>();
  private GuestProgram guest;
  private String sandbox;

  @TempDir Path folder;

  private ApiKeys.Created key(String name, Optional<Duration> life) {
    return keys.create(name, Role.USER, Optional.of("us"), life);
  }

  private static String header(ApiKeys.Created key) {
    return "Authorization: Bearer " + key.key().text();
  }

  @BeforeEach
  void start() throws IOException {
    guest =
        new GuestProgram(socket -> socket.getInputStream().transferTo(socket.getOutputStream()));
    sandbox =
        server
            .post("/v1/sandboxes", "{\"snapshot_tag\":\"base\"}", header(mine))
            .json()
            .path(0)
            .path("id")
            .asString();
  }

  @AfterEach
  void close() throws IOException {
    for (Wire wire : wires) {
      wire.close();
    }
    guest.close();
    server.close();
  }

  private Wire open(int status, String path, String... headers) throws IOException {
    Wire wire = server.tcp();
    wires.add(wire);
    wire.request("GET", path, "", headers);
    assertThat(wire.head().status()).as(path).isEqualTo(status);
    return wire;
  }

  private List<Wire> openAll(ApiKeys.Created key) throws IOException {
    String root = "/v1/sandboxes/" + sandbox;
    return List.of(
        open(200, "/v1/events", header(key)),
        open(200, root + "/files/watch?path=" + folder, header(key)),
        open(
            101,
            root + "/ports/" + guest.port(),
            header(key),
            "Connection: Upgrade",
            "Upgrade: forkd-tcp"),
        open(
            101,
            root + "/tty?cmd=cat",
            header(key),
            "Connection: Upgrade",
            "Upgrade: websocket",
            "Sec-WebSocket-Version: 13",
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=="));
  }

  /** Reads all that comes, until no more can. */
  private static void awaitEnd(Wire wire) {
    byte[] buffer = new byte[4096];
    try {
      while (wire.read(buffer) >= 0) {
        // What came before the end.
      }
    } catch (IOException e) {
      // Cut off.
    }
  }

  private static void awaitEnd(List<Wire> all) throws IOException {
    all.get(0).answerRest();
    assertThat(all.get(1).answerRest()).contains("the key that was shown holds no longer");
    awaitEnd(all.get(2));
    awaitEnd(all.get(3));
  }

  @Test
  void streamsTunnelsAndTerminalsEndWhenTheirKeyIsRevoked() throws IOException {
    List<Wire> ended = openAll(mine);
    List<Wire> others = openAll(other);

    keys.revoke(mine.kept().id());
    awaitEnd(ended);
    Wire tunnel = others.get(2);
    tunnel.send("still here");
    assertThat(tunnel.read(10)).asString().isEqualTo("still here");
    assertThat(server.get("/v1/sandboxes", header(mine)).status()).isEqualTo(401);
    assertThat(server.get("/v1/sandboxes/" + sandbox, header(other)).status()).isEqualTo(200);
  }

  @Test
  void theyEndWhenItsTimeIsOver() throws IOException {
    List<Wire> ended = openAll(mine);

    now.updateAndGet(time -> time.plus(Duration.ofHours(2)));
    awaitEnd(ended);
  }

  @Test
  void whatComesTooLateEndsAtOnce() {
    List<String> ended = new ArrayList<>();
    keys.revoke(mine.kept().id());

    keys.endings(mine.kept().id()).add(() -> ended.add("late"));
    assertThat(ended).containsExactly("late");
  }

  @Test
  void anAnswerThatAGuestNeverEndsIsCutOff() throws Exception {
    try (GuestProgram endless =
        new GuestProgram(
            socket -> {
              GuestProgram.head(socket);
              GuestProgram.send(socket, "HTTP/1.1 200 OK\r\n\r\nsome");
              socket.getInputStream().readAllBytes();
            })) {
      Wire wire =
          open(200, "/v1/sandboxes/%s/ports/%d/x".formatted(sandbox, endless.port()), header(mine));

      keys.revoke(mine.kept().id());
      awaitEnd(wire);
    }
  }
}
