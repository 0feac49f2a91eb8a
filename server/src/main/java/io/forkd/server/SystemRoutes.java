package io.forkd.server;

import io.forkd.base.Locations;
import io.forkd.core.Forkd;
import io.forkd.server.http.Exchange;
import io.forkd.server.http.HttpProblem;
import io.forkd.server.http.Json;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;

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
    router
        .add(
            Operation.get("/version")
                .summary("The daemon's release")
                .role(Role.READ_ONLY)
                .answers(200, Schemas.VERSION),
            SystemRoutes::version)
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

  private static void version(Exchange exchange) throws IOException {
    exchange.respond(200, Json.object().with("version", Version.TEXT).with("api", "v1"));
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
