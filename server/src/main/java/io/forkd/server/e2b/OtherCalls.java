package io.forkd.server.e2b;

import io.forkd.base.ForkdException;
import io.forkd.base.SandboxId;
import io.forkd.core.Forkd;
import io.forkd.core.SandboxChange;
import io.forkd.core.SandboxState;
import io.forkd.core.Snapshot;
import io.forkd.guest.GuestMetrics;
import io.forkd.server.http.Exchange;
import io.forkd.server.http.HttpProblem;
import io.forkd.server.http.Json;
import io.forkd.server.http.JsonObject;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The control plane's other calls, and clear words about those that forkd has not. */
final class OtherCalls {
  private static final Duration PATIENCE = Duration.ofSeconds(10);
  private static final List<String> ABSENT =
      List.of("templates", "v2/templates", "v3/templates", "volumes", "secrets", "volumecontent");

  private final E2bHost host;
  private final Templates templates;

  OtherCalls(E2bHost host, Templates templates) {
    this.host = host;
    this.templates = templates;
  }

  List<ControlRoute> routes() {
    List<ControlRoute> routes = new ArrayList<>();
    routes.add(new ControlRoute("GET", "/sandboxes/{id}/metrics", false, this::metrics));
    routes.add(new ControlRoute("GET", "/sandboxes/metrics", false, this::metricsOfMany));
    routes.add(new ControlRoute("PUT", "/sandboxes/{id}/network", false, this::network));
    routes.add(new ControlRoute("GET", "/templates/aliases/{alias}", false, this::alias));
    for (String path : List.of("/sandboxes/{id}/logs", "/v2/sandboxes/{id}/logs")) {
      routes.add(new ControlRoute("GET", path, false, x -> refuse("keeps no logs of sandboxes")));
    }
    for (String root : ABSENT) {
      String why = "does not have E2B's " + root.substring(root.indexOf('/') + 1);
      routes.add(new ControlRoute("", "/" + root, false, x -> refuse(why)));
      routes.add(new ControlRoute("", "/" + root + "/{rest...}", false, x -> refuse(why)));
    }
    return routes;
  }

  private static void refuse(String why) {
    throw new HttpProblem(
        501,
        "forkd %s: docs/e2b.md lists what works. Snapshots of forkd serve as templates."
            .formatted(why));
  }

  private void metrics(Exchange exchange) throws IOException {
    Forkd forkd = host.of(exchange);
    SandboxId id = SandboxCalls.id(exchange);
    boolean past = exchange.query("end").map(OtherCalls::isPast).orElse(false);
    List<JsonObject> samples =
        past ? List.of() : now(forkd, id).map(SandboxShapes::metric).stream().toList();
    exchange.respond(200, samples);
  }

  /** What was used earlier is not kept. */
  private static boolean isPast(String unixSeconds) {
    if (!unixSeconds.matches("[0-9]{1,12}")) {
      throw ForkdException.badRequest("end in the query must be a time in unix seconds.");
    }
    return Long.parseLong(unixSeconds) < System.currentTimeMillis() / 1000;
  }

  /** Empty for a sandbox that is paused, which uses nothing. */
  private static Optional<GuestMetrics> now(Forkd forkd, SandboxId id) {
    return forkd.sandbox(id).state() == SandboxState.PAUSED
        ? Optional.empty()
        : Optional.of(forkd.inside(id).metrics(PATIENCE));
  }

  private void metricsOfMany(Exchange exchange) throws IOException {
    Forkd forkd = host.of(exchange);
    JsonObject all = Json.object();
    for (String ids : exchange.queries("sandbox_ids")) {
      for (String id : ids.split(",", -1)) {
        now(forkd, SandboxShapes.known(id))
            .ifPresent(sample -> all.with(id, SandboxShapes.metric(sample)));
      }
    }
    exchange.respond(200, Json.object().with("sandboxes", all));
  }

  private void network(Exchange exchange) throws IOException {
    SandboxChange change =
        new SandboxChange(
            Optional.empty(),
            Optional.empty(),
            Optional.of(NetworkFields.ofUpdate(Body.read(exchange.body()))),
            Optional.empty());
    host.of(exchange).update(SandboxCalls.id(exchange), change);
    exchange.respondEmpty(204);
  }

  /** Whether a template exists. */
  private void alias(Exchange exchange) throws IOException {
    String name = exchange.pathParameter("alias");
    Snapshot snapshot = templates.find(host.of(exchange), name);
    exchange.respond(
        200, Json.object().with("templateID", snapshot.tag().value()).with("public", false));
  }
}
