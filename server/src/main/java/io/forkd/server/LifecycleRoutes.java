package io.forkd.server;

import io.forkd.base.ForkdException;
import io.forkd.base.SandboxId;
import io.forkd.core.Forkd;
import io.forkd.core.SandboxChange;
import io.forkd.server.http.Exchange;
import java.io.IOException;
import java.time.Clock;

/** Routes about a sandbox's life between its making and its end, and about its end. */
final class LifecycleRoutes {
  private static final int MOST_ENDED = 10_000;
  private static final int USUAL_ENDED = 100;

  private final View forkd;
  private final Clock clock;

  LifecycleRoutes(View forkd, Clock clock) {
    this.forkd = forkd;
    this.clock = clock;
  }

  void addTo(Router router) {
    router
        .add(
            Operation.get("/v1/sandboxes/ended")
                .summary("The sandboxes that ended lately, and why, newest first")
                .role(Role.READ_ONLY)
                .query("limit", Schema.whole(1, MOST_ENDED), "How many; 100 unless told")
                .answers(200, Schema.listOf(ChildSchemas.ENDED)),
            this::ended)
        .add(
            Operation.patch("/v1/sandboxes/{id}")
                .summary("Change what a sandbox was given")
                .role(Role.USER)
                .body(ChildSchemas.CHANGE)
                .answers(200, SandboxSchemas.SANDBOX)
                .fails(409, 502, 503, 504),
            this::update)
        .add(
            Operation.post("/v1/sandboxes/{id}/pause")
                .summary("Put a sandbox on disk and end its process")
                .role(Role.USER)
                .answers(200, SandboxSchemas.SANDBOX)
                .fails(409, 502, 503, 504),
            this::pause)
        .add(
            Operation.post("/v1/sandboxes/{id}/resume")
                .summary("Let a paused sandbox go on where it was")
                .role(Role.USER)
                .answers(200, SandboxSchemas.SANDBOX)
                .fails(409, 502, 503, 504),
            this::resume);
  }

  private void ended(Exchange exchange) throws IOException {
    int limit = exchange.query("limit").map(LifecycleRoutes::limit).orElse(USUAL_ENDED);
    exchange.respond(
        200, forkd.of(exchange).ended().stream().limit(limit).map(ChildShapes::ended).toList());
  }

  private static int limit(String text) {
    int limit = text.matches("[0-9]{1,6}") ? Integer.parseInt(text) : 0;
    if (limit < 1 || limit > MOST_ENDED) {
      throw ForkdException.badRequest("limit in the query must be 1 to %d.", MOST_ENDED);
    }
    return limit;
  }

  private void update(Exchange exchange) throws IOException {
    SandboxId id = PathNames.sandbox(exchange);
    Fields fields = BodyReader.read(exchange.body());
    Forkd mine = forkd.of(exchange);
    SandboxChange change = ChildFields.readChange(fields, mine.sandbox(id), clock.instant());
    exchange.respond(200, Shapes.sandbox(mine.update(id, change)));
  }

  private void pause(Exchange exchange) throws IOException {
    exchange.respond(200, Shapes.sandbox(forkd.of(exchange).pause(PathNames.sandbox(exchange))));
  }

  private void resume(Exchange exchange) throws IOException {
    exchange.respond(200, Shapes.sandbox(forkd.of(exchange).resume(PathNames.sandbox(exchange))));
  }
}
