package io.forkd.server;

import io.forkd.base.Locations;
import io.forkd.base.Tag;
import io.forkd.server.e2b.E2bSettings;
import io.forkd.server.http.HttpConfig;
import io.forkd.server.http.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The real server on a free port and a socket in a folder of its own, over a core in memory. */
final class TestServer implements AutoCloseable {
  static final String TOKEN = "kO3vX9-a-real-looking-secret";

  final FakeForkd forkd = new FakeForkd();
  final CountDownLatch stopAsked = new CountDownLatch(1);
  final MemoryAnswers answers = new MemoryAnswers();
  final Path folder;
  final Path data;
  final Path socket;
  final Api api;
  final Access access;
  private final HttpServer http;
  Optional<Path> tokenFile = Optional.empty();
  private final int port;
  private volatile @Nullable ApiContract contract;

  private TestServer(Access access, Duration idle, Duration stop, Duration heartbeat) {
    try {
      folder = Files.createTempDirectory("fs");
      data = Files.createTempDirectory("fd");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    socket = folder.resolve("s");
    forkd.snapshots.put(Tag.of("base"), new SnapshotDraft("base").done());
    this.access = access;
    api =
        new Api(
            forkd,
            locations(),
            access,
            answers,
            new Heartbeats(heartbeat, heartbeat),
            E2bSettings.USUALLY,
            stopAsked::countDown);
    http =
        HttpServer.start(
            new HttpConfig(
                socket,
                Optional.of(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0)),
                idle,
                stop),
            api.handler());
    port = http.port().orElseThrow();
  }

  static TestServer open() {
    return new TestServer(
        Access.local(Optional.empty()),
        Duration.ofSeconds(30),
        Duration.ofSeconds(5),
        Duration.ofMillis(50));
  }

  static TestServer impatient(Duration idle) {
    return new TestServer(
        Access.local(Optional.empty()), idle, Duration.ofSeconds(5), Duration.ofMillis(50));
  }

  static TestServer quickToStop() {
    return new TestServer(
        Access.local(Optional.empty()),
        Duration.ofSeconds(30),
        Duration.ofMillis(300),
        Duration.ofMillis(50));
  }

  static TestServer withToken() throws IOException {
    Path file = Secrets.write(Files.createTempFile("token", ""), TOKEN + "\n");
    TestServer server = with(Access.local(Optional.of(TokenFile.open(file))));
    server.tokenFile = Optional.of(file);
    return server;
  }

  static TestServer with(Access access) {
    return new TestServer(
        access, Duration.ofSeconds(30), Duration.ofSeconds(5), Duration.ofMillis(50));
  }

  Locations locations() {
    return new Locations(data, folder);
  }

  /** The address of a path over TCP. */
  URI uri(String path) {
    return URI.create("http://127.0.0.1:%d%s".formatted(port, path));
  }

  Wire tcp() throws IOException {
    return Wire.tcp(port);
  }

  Wire unix() throws IOException {
    return Wire.unix(socket);
  }

  Answer get(String path, String... headers) throws IOException {
    return call("GET", path, "", headers);
  }

  Answer post(String path, String body, String... headers) throws IOException {
    return call("POST", path, body, headers);
  }

  Answer call(String method, String path, String body, String... headers) throws IOException {
    try (Wire wire = tcp()) {
      wire.request(method, path, body, headers);
      Answer answer = wire.answer(!method.equals("HEAD"));
      contract().check(method, path, answer);
      return answer;
    }
  }

  /** What this server says of itself. */
  ApiContract contract() throws IOException {
    if (contract == null) {
      try (Wire wire = tcp()) {
        wire.request("GET", "/openapi.json", "");
        contract = new ApiContract(wire.answer().json());
      }
    }
    return contract;
  }

  /** The id of a new sandbox. */
  String fork() throws IOException {
    return post("/v1/sandboxes", "{\"snapshot_tag\": \"base\"}")
        .json()
        .path(0)
        .path("id")
        .asString();
  }

  /** Stops listening but leaves the folder to look at. */
  void stop() {
    api.endStreams();
    http.close();
    api.close();
  }

  @Override
  public void close() throws IOException {
    forkd.guest.evalGate.countDown();
    forkd.snapshotGate.countDown();
    stop();
    Files.deleteIfExists(folder);
    try (Stream<Path> files = Files.walk(data)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
    if (tokenFile.isPresent()) {
      Files.deleteIfExists(tokenFile.get());
    }
  }
}
