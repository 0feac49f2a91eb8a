package io.forkd.server;

import io.forkd.core.Forkd;
import io.forkd.core.Readiness;
import io.forkd.server.http.Exchange;
import io.forkd.server.http.HttpProblem;
import io.forkd.server.http.Json;
import io.forkd.server.http.JsonObject;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Routes by which the daemon is watched: whether it lives, whether it can work, how it does. */
final class HealthRoutes {
  private static final long LOOK_EVERY_NANOS = 1_000_000_000;

  private final Forkd forkd;
  private final Metrics metrics;
  private @Nullable Readiness lastSeen;
  private long lastLook;

  /**
   * @param forkd all of it, not what one caller may see
   */
  HealthRoutes(Forkd forkd, Metrics metrics) {
    this.forkd = forkd;
    this.metrics = metrics;
  }

  void addTo(Router router) {
    Operation health =
        Operation.get("/healthz")
            .summary("Whether the daemon lives")
            .open()
            .answers(200, Schemas.HEALTH);
    router
        .add(health, HealthRoutes::health)
        .add(health.at("/healthz/"), HealthRoutes::health)
        .add(
            Operation.get("/readyz")
                .summary("Whether the daemon can do its work")
                .open()
                .answers(200, UsageSchemas.READINESS)
                .answers(503, UsageSchemas.READINESS),
            this::ready)
        .add(
            Operation.get("/metrics")
                .summary("Counters and gauges in Prometheus's text format")
                .role(Role.READ_ONLY)
                .answers(200, new Operation.Answer("text/plain", Optional.of(Schema.text()), "")),
            this::metrics);
  }

  private static void health(Exchange exchange) throws IOException {
    exchange.respond(200, Json.object().with("ok", true));
  }

  /** What stands in the way names things of the host, which strangers are not told. */
  private void ready(Exchange exchange) throws IOException {
    Readiness readiness = readiness();
    JsonObject answer = Json.object().with("ready", readiness.ready());
    if (exchange.noted(Principal.class).isPresent()) {
      answer.with("checks", readiness.checks().stream().map(HealthRoutes::check).toList());
    }
    exchange.respond(readiness.ready() ? 200 : 503, answer);
  }

  /** Anybody may ask as often as they like, so the daemon looks once a second at most. */
  private synchronized Readiness readiness() {
    long now = System.nanoTime();
    Readiness known = lastSeen;
    if (known == null || now - lastLook > LOOK_EVERY_NANOS) {
      known = forkd.readiness();
      lastSeen = known;
      lastLook = now;
    }
    return known;
  }

  private static JsonObject check(Readiness.Check check) {
    return Json.object()
        .with("name", check.name())
        .with("ok", check.ok())
        .with("detail", check.detail());
  }

  private void metrics(Exchange exchange) throws IOException {
    if (!Sight.of(Principal.of(exchange)).everything()) {
      throw new HttpProblem(
          403, "Metrics are about everybody's sandboxes: use a key that is bound to no owner.");
    }
    byte[] text = metrics.text().getBytes(StandardCharsets.UTF_8);
    exchange.respond(200, MetricText.CONTENT_TYPE, text);
  }
}
