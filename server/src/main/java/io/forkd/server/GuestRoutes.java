package io.forkd.server;

import static io.forkd.server.Schema.decimal;
import static io.forkd.server.Schema.shape;
import static io.forkd.server.Schema.text;
import static io.forkd.server.Schema.whole;

import io.forkd.guest.GuestMetrics;
import io.forkd.server.http.Exchange;
import io.forkd.server.http.Json;
import io.forkd.server.http.JsonObject;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;

/** Routes about a guest as a whole: what it uses, and the environment of what it starts. */
final class GuestRoutes {
  private static final Duration METRICS_TIMEOUT = Duration.ofSeconds(10);

  private static final Schema.Shape METRICS =
      shape("GuestMetrics")
          .with("at", text(), "In ISO 8601.")
          .with("cpus", whole(1))
          .with("cpu_used_percent", decimal(0), "Of all CPUs together, since the last question.")
          .with("memory_total", Schemas.BYTES)
          .with("memory_used", Schemas.BYTES)
          .with("memory_cache", Schemas.BYTES)
          .with("disk_total", Schemas.BYTES)
          .with("disk_used", Schemas.BYTES);

  private final View forkd;

  GuestRoutes(View forkd) {
    this.forkd = forkd;
  }

  void addTo(Router router) {
    router
        .add(
            Operation.get("/v1/sandboxes/{id}/metrics")
                .summary("What the guest uses of its CPUs, memory and disk")
                .role(Role.READ_ONLY)
                .answers(200, METRICS)
                .fails(409, 502, 504),
            this::metrics)
        .add(
            Operation.put("/v1/sandboxes/{id}/env")
                .summary("Set variables for everything that is started from now on")
                .role(Role.USER)
                .body(EnvironmentFields.SCHEMA)
                .answers(204)
                .fails(409, 502, 504),
            this::setEnvironment);
  }

  private void metrics(Exchange exchange) throws IOException {
    exchange.respond(200, shapeOf(forkd.inside(exchange).metrics(METRICS_TIMEOUT)));
  }

  private static JsonObject shapeOf(GuestMetrics metrics) {
    return Json.object()
        .with("at", metrics.at())
        .with("cpus", metrics.cpus())
        .with("cpu_used_percent", metrics.cpuUsedPercent())
        .with("memory_total", metrics.memoryTotal())
        .with("memory_used", metrics.memoryUsed())
        .with("memory_cache", metrics.memoryCache())
        .with("disk_total", metrics.diskTotal())
        .with("disk_used", metrics.diskUsed());
  }

  private void setEnvironment(Exchange exchange) throws IOException {
    Map<String, String> variables =
        EnvironmentFields.checked(BodyReader.read(exchange.body()).allPairs(""));
    forkd.inside(exchange).setEnvironment(variables, ChildEnvironment.TIMEOUT);
    exchange.respondEmpty(204);
  }
}
