package io.forkd.server;

import io.forkd.base.Locations;
import io.forkd.core.Forkd;
import io.forkd.server.http.Exchange;
import io.forkd.server.http.HttpProblem;
import io.forkd.server.http.Json;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/** Routes about the daemon itself. */
final class SystemRoutes {
  private final View forkd;
  private final Locations locations;
  private final Runnable stop;
  private final Instant started = Instant.now();

  /**
   * @param stop asks the daemon to stop and returns at once
   */
  SystemRoutes(View forkd, Locations locations, Runnable stop) {
    this.forkd = forkd;
    this.locations = locations;
    this.stop = stop;
  }

  void addTo(Router router) {
    Operation health =
        Operation.get("/healthz")
            .summary("Whether the daemon lives")
            .open()
            .answers(200, Schemas.HEALTH);
    router
        .add(health, SystemRoutes::health)
        .add(health.at("/healthz/"), SystemRoutes::health)
        .add(
            Operation.get("/version")
                .summary("The daemon's release")
                .role(Role.READ_ONLY)
                .answers(200, Schemas.VERSION),
            SystemRoutes::version)
        .add(
            Operation.get("/metrics")
                .summary("Counters and gauges in Prometheus's text format")
                .role(Role.READ_ONLY)
                .answers(200, new Operation.Answer("text/plain", Optional.of(Schema.text()), "")),
            this::metrics)
        .add(
            Operation.get("/v1/status")
                .summary("What the daemon is and how much it keeps")
                .role(Role.READ_ONLY)
                .answers(200, Schemas.STATUS),
            this::status)
        .add(
            Operation.post("/v1/shutdown")
                .summary("Stop the daemon; sandboxes go on running")
                .role(Role.ADMIN)
                .answers(202, Schemas.STOPPING),
            this::shutdown);
  }

  private static void health(Exchange exchange) throws IOException {
    exchange.respond(200, Json.object().with("ok", true));
  }

  private static void version(Exchange exchange) throws IOException {
    exchange.respond(200, Json.object().with("version", Version.TEXT).with("api", "v1"));
  }

  private void metrics(Exchange exchange) throws IOException {
    byte[] text = Metrics.text(forkd.of(exchange)).getBytes(StandardCharsets.UTF_8);
    exchange.respond(200, "text/plain; version=0.0.4; charset=utf-8", text);
  }

  private void status(Exchange exchange) throws IOException {
    Forkd mine = forkd.of(exchange);
    exchange.respond(
        200,
        Json.object()
            .with("version", Version.TEXT)
            .with("api", "v1")
            .with("pid", ProcessHandle.current().pid())
            .with("uptime_secs", Duration.between(started, Instant.now()).toMillis() / 1000.0)
            .with("data", locations.data())
            .with("run", locations.run())
            .with("vmm", mine.vmm())
            .with("branching", Shapes.branching(mine.branching()))
            .with(
                "counts",
                Json.object()
                    .with("snapshots", mine.snapshots().size())
                    .with("sandboxes", mine.sandboxes().size())
                    .with("pools", mine.pools().size())));
  }

  private void shutdown(Exchange exchange) throws IOException {
    if (!exchange.overUnixSocket()) {
      throw new HttpProblem(
          403, "The daemon can be stopped over its Unix socket only: use `forkd daemon stop`.");
    }
    exchange.respond(202, Json.object().with("stopping", true));
    stop.run();
  }
}
