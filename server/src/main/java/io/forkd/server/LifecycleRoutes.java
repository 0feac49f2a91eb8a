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

  /** To be added before routes that would take {@code ended} for an id. */
  void addTo(Router router) {
    router
        .on("GET", "/v1/sandboxes/ended", this::ended)
        .on("PATCH", "/v1/sandboxes/{id}", this::update)
        .on("POST", "/v1/sandboxes/{id}/pause", this::pause)
        .on("POST", "/v1/sandboxes/{id}/resume", this::resume);
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
