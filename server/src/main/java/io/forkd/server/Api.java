package io.forkd.server;

import io.forkd.base.Locations;
import io.forkd.core.Forkd;
import io.forkd.server.http.HttpHandler;
import java.time.Clock;
import java.time.Duration;
import java.util.Optional;

/** REST v1 over a core: every route behind one guarded door. */
final class Api {
  static final Duration HEARTBEAT = Duration.ofSeconds(2);

  private Api() {}

  static HttpHandler over(
      Forkd forkd,
      Locations locations,
      Optional<Token> token,
      Duration heartbeat,
      Runnable stop,
      AnswerBook answers) {
    return new Dispatcher(
        new AccessGuard(token), router(_ -> forkd, locations, heartbeat, stop, answers));
  }

  static Router router(
      View view, Locations locations, Duration heartbeat, Runnable stop, AnswerBook answers) {
    Router router = new Router();
    new SystemRoutes(view, locations, stop).addTo(router);
    Idempotency idempotency = new Idempotency(answers, Clock.systemUTC());
    new SnapshotRoutes(view, heartbeat, idempotency).addTo(router);
    new LifecycleRoutes(view, Clock.systemUTC()).addTo(router);
    new SandboxRoutes(view, idempotency).addTo(router);
    new WorkspaceRoutes(view, idempotency).addTo(router);
    new BranchRoutes(view, idempotency).addTo(router);
    new ChainRoutes(view).addTo(router);
    new PoolRoutes(view).addTo(router);
    OpenApiRoute.addTo(router);
    return router;
  }
}
