package io.forkd.server;

import io.forkd.base.ForkdException;
import io.forkd.base.SandboxId;
import io.forkd.core.Capacity;
import io.forkd.core.Forkd;
import io.forkd.core.SandboxUse;
import io.forkd.server.http.Exchange;
import io.forkd.server.http.Json;
import io.forkd.server.http.JsonObject;
import java.io.IOException;
import java.util.Optional;

/** Routes about what is used of the host and how much there is. */
final class UsageRoutes {
  private final View forkd;

  UsageRoutes(View forkd) {
    this.forkd = forkd;
  }

  void addTo(Router router) {
    router
        .add(
            Operation.get("/v1/sandboxes/usage")
                .summary("What each sandbox uses of the host now")
                .role(Role.READ_ONLY)
                .answers(200, Schema.listOf(UsageSchemas.USE)),
            this::all)
        .add(
            Operation.get("/v1/sandboxes/{id}/usage")
                .summary("What a sandbox uses of the host now")
                .role(Role.READ_ONLY)
                .answers(200, UsageSchemas.USE),
            this::one)
        .add(
            Operation.get("/v1/capacity")
                .summary("How much of each budget of the daemon is used")
                .role(Role.READ_ONLY)
                .answers(200, UsageSchemas.CAPACITY),
            this::capacity);
  }

  private void all(Exchange exchange) throws IOException {
    exchange.respond(200, forkd.of(exchange).usage().stream().map(UsageRoutes::use).toList());
  }

  private void one(Exchange exchange) throws IOException {
    SandboxId id = PathNames.sandbox(exchange);
    Forkd mine = forkd.of(exchange);
    // First, because it says why a sandbox is not there.
    mine.sandbox(id);
    SandboxUse use =
        mine.usage().stream()
            .filter(one -> one.id().equals(id))
            .findFirst()
            .orElseThrow(() -> ForkdException.notFound("Sandbox %s has just ended.", id));
    exchange.respond(200, use(use));
  }

  private void capacity(Exchange exchange) throws IOException {
    exchange.respond(
        200,
        Json.object()
            .with(
                "budgets",
                forkd.of(exchange).capacity().budgets().stream()
                    .map(UsageRoutes::budget)
                    .toList()));
  }

  private static JsonObject use(SandboxUse use) {
    return Json.object()
        .with("id", use.id())
        .with("state", Shapes.word(use.state()))
        .with("cpu_ms", use.cpu().toNanos() / 1e6)
        .with("private_bytes", use.privateBytes())
        .with("shared_bytes", use.sharedBytes())
        .with("threads", use.threads())
        .withOptional("oom_kills", use.oomKills());
  }

  private static JsonObject budget(Capacity.Budget budget) {
    return Json.object()
        .with("name", budget.name())
        .with("used", budget.used())
        .withOptional("most", Optional.of(budget.most()).filter(most -> most > 0));
  }
}
