package io.forkd.server;

import io.forkd.base.SandboxId;
import io.forkd.base.Tag;
import io.forkd.core.ChildSpec;
import io.forkd.core.ForkSpec;
import io.forkd.server.http.HttpConfig;
import io.forkd.server.http.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import javax.net.ssl.SSLContext;

/** The port routes alone, over one sandbox whose ports are this host's. */
final class PortServer implements AutoCloseable {
  static final PortTimes PATIENT =
      new PortTimes(
          Duration.ofSeconds(30),
          Duration.ofSeconds(30),
          Duration.ofSeconds(30),
          Duration.ofSeconds(30));

  final FakeForkd forkd = new FakeForkd();
  final SandboxId id;
  final int port;
  private final Path folder = Files.createTempDirectory("fp");
  private final Path socket = folder.resolve("s");
  private final AuditLog audit;
  private final HttpServer http;

  PortServer(PortTimes times) throws IOException {
    this(times, Duration.ofSeconds(30));
  }

  PortServer(PortTimes times, Duration clientIdle) throws IOException {
    this(times, clientIdle, Optional.empty());
  }

  PortServer(PortTimes times, Duration clientIdle, Optional<SSLContext> tls) throws IOException {
    Tag tag = Tag.of("base");
    forkd.snapshots.put(tag, new SnapshotDraft("base").done());
    id = forkd.fork(new ForkSpec(tag, 1, false, ChildSpec.PLAIN)).sandboxes().getFirst().id();
    Meters meters = new Meters();
    audit = new AuditLog(new RotatingFile(folder.resolve("audit"), 1 << 20, 1), meters.auditDrops);
    Router router = new Router();
    new PortRoutes(_ -> forkd, times).addTo(router);
    http =
        HttpServer.start(
            new HttpConfig(
                socket,
                Optional.empty(),
                Optional.of(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0)),
                tls,
                clientIdle,
                Duration.ofSeconds(5)),
            new Dispatcher(
                Access.local(Optional.empty()).guard(),
                router,
                _ -> Optional.empty(),
                new Watch(meters, audit)));
    port = http.port().orElseThrow();
  }

  /** Where a guest's port is found. */
  String path(int guestPort, String rest) {
    return "/v1/sandboxes/%s/ports/%d%s".formatted(id, guestPort, rest);
  }

  Wire tcp() throws IOException {
    return Wire.tcp(port);
  }

  Wire unix() throws IOException {
    return Wire.unix(socket);
  }

  Answer get(int guestPort, String rest, String... headers) throws IOException {
    return call("GET", guestPort, rest, "", headers);
  }

  Answer call(String method, int guestPort, String rest, String body, String... headers)
      throws IOException {
    try (Wire wire = tcp()) {
      wire.request(method, path(guestPort, rest), body, headers);
      return wire.answer(!method.equals("HEAD"));
    }
  }

  /** Waits until no connection to a guest is open. */
  void awaitNoneOpen() throws InterruptedException {
    while (forkd.ports.open() > 0) {
      Thread.sleep(5);
    }
  }

  void stop() {
    http.close();
  }

  @Override
  public void close() throws IOException {
    forkd.ports.gate.countDown();
    http.close();
    audit.close();
    Files.deleteIfExists(folder.resolve("audit"));
    Files.deleteIfExists(folder);
  }
}
