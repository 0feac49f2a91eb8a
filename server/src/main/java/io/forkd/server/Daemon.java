package io.forkd.server;

import io.forkd.base.Locations;
import io.forkd.core.CoreConfig;
import io.forkd.core.Forkd;
import io.forkd.registry.Registry;
import io.forkd.server.e2b.E2bSettings;
import io.forkd.server.http.HttpConfig;
import io.forkd.server.http.HttpServer;
import java.io.PrintStream;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One daemon from start to end.
 *
 * <p>What it claims (data folder, socket, pid file) it gives back in reverse order, whichever step
 * fails. {@link #requestStop} may be called by any thread; all else is done by the thread in {@link
 * #run}.
 */
final class Daemon {
  private static final Logger log = LoggerFactory.getLogger(Daemon.class);

  private final DaemonOptions options;
  private final Locations locations;
  private final Function<CoreConfig, Forkd> core;
  private final CountDownLatch stopRequested = new CountDownLatch(1);

  Daemon(DaemonOptions options, Locations locations, Function<CoreConfig, Forkd> core) {
    this.options = options;
    this.locations = locations;
    this.core = core;
  }

  void requestStop() {
    stopRequested.countDown();
  }

  /** Serves until asked to stop. */
  void run(PrintStream out) throws InterruptedException {
    LogFormat format = LogSetup.adjust(options.logFormat(), locations.log());
    Optional<TokenFile> token = options.access().tokenFile().map(TokenFile::open);
    Optional<TlsFiles> tls = options.access().tls().map(TlsFiles::open);
    try (DataLock _ = DataLock.take(locations)) {
      Folders.make(locations.run());
      SocketPath.prepare(options.socket());
      try (PidFile _ = PidFile.write(locations.pidFile());
          Registry registry = Registry.open(locations.data());
          Forkd forkd =
              core.apply(new CoreConfig(locations, options.recipes(), options.policy(), registry));
          Api api =
              new Api(
                  forkd,
                  locations,
                  access(token, registry),
                  AnswerBook.in(registry.answers()),
                  Heartbeats.DEFAULT,
                  E2bSettings.of(
                      options.settings().text(DaemonOption.E2B_DOMAIN),
                      options.settings().text(DaemonOption.E2B_TEMPLATES)),
                  this::requestStop);
          HttpServer http = listen(api, tls);
          TlsFiles.Watch _ = tls.map(files -> files.watch(http::replaceTls)).orElse(() -> {})) {
        announce(readyLine(http), format, out);
        stopRequested.await();
        log.info("Stopping: requests under way have {} to finish", HttpConfig.DEFAULT_STOP);
        api.endStreams();
      }
    }
    log.info("Stopped; sandboxes go on running");
  }

  private Access access(Optional<TokenFile> token, Registry registry) {
    ApiKeys keys = new ApiKeys(new RegistryKeys(registry), InstantSource.system());
    options.access().warnings(keys.inUse()).forEach(log::warn);
    return new Access(token, keys, options.access().door(), options.access().limits());
  }

  private HttpServer listen(Api api, Optional<TlsFiles> tls) {
    return HttpServer.start(
        new HttpConfig(
            options.socket(),
            options.access().socketGroup(),
            options.access().listen(),
            tls.map(TlsFiles::first),
            HttpConfig.DEFAULT_IDLE,
            HttpConfig.DEFAULT_STOP),
        api.handler());
  }

  /** Programs that read a log of JSON get nothing else there. */
  private static void announce(String ready, LogFormat format, PrintStream out) {
    switch (format) {
      case TEXT -> {
        out.println(ready);
        out.flush();
      }
      case JSON -> log.info(ready);
    }
  }

  private String readyLine(HttpServer http) {
    String tcp =
        options
            .access()
            .listen()
            .map(address -> " listen=%s:%d".formatted(host(address), http.port().orElse(0)))
            .orElse("");
    return "forkd %s ready pid=%d socket=%s%s in %d ms"
        .formatted(
            Version.TEXT, ProcessHandle.current().pid(), options.socket(), tcp, millisSinceStart());
  }

  private static long millisSinceStart() {
    Instant now = Instant.now();
    Instant start = ProcessHandle.current().info().startInstant().orElse(now);
    return Duration.between(start, now).toMillis();
  }

  private static String host(InetSocketAddress address) {
    String host = address.getAddress().getHostAddress();
    return host.contains(":") ? "[" + host + "]" : host;
  }
}
