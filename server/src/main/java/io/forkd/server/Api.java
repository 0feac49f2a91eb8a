package io.forkd.server;

import io.forkd.base.Locations;
import io.forkd.core.Forkd;
import io.forkd.server.http.HttpHandler;
import java.time.Clock;
import java.time.Duration;

/** REST v1 over a core: every route behind one guarded door. */
final class Api {
  static final Duration HEARTBEAT = Duration.ofSeconds(2);

  private Api() {}

  static HttpHandler over(
      Forkd forkd, Locations locations, Access access, Duration heartbeat, Runnable stop) {
    Router router = router(Access.view(forkd), access.keys(), locations, heartbeat, stop);
    return new Dispatcher(access.guard(), router);
  }

  static Router router(
      View view, ApiKeys keys, Locations locations, Duration heartbeat, Runnable stop) {
    Router router = new Router();
    new SystemRoutes(view, locations, stop).addTo(router);
    Idempotency idempotency = new Idempotency(new MemoryAnswers(), Clock.systemUTC());
    new SnapshotRoutes(view, heartbeat, idempotency).addTo(router);
    new LifecycleRoutes(view, Clock.systemUTC()).addTo(router);
    new SandboxRoutes(view, idempotency).addTo(router);
    new WorkspaceRoutes(view, idempotency).addTo(router);
    new BranchRoutes(view, idempotency).addTo(router);
    new ChainRoutes(view).addTo(router);
    new PoolRoutes(view).addTo(router);
    new KeyRoutes(keys).addTo(router);
    OpenApiRoute.addTo(router);
    return router;
  }
}
