package io.forkd.server;

import io.forkd.base.Locations;
import io.forkd.core.Forkd;
import io.forkd.server.http.HttpHandler;
import java.time.Duration;
import java.util.Optional;

/** REST v1 over a core: every route behind one guarded door. */
final class Api {
  static final Duration HEARTBEAT = Duration.ofSeconds(2);

  private Api() {}

  static HttpHandler over(
      Forkd forkd, Locations locations, Optional<Token> token, Duration heartbeat, Runnable stop) {
    View view = _ -> forkd;
    Router router = new Router();
    new SystemRoutes(view, locations, stop).addTo(router);
    new SnapshotRoutes(view, heartbeat).addTo(router);
    new SandboxRoutes(view).addTo(router);
    new BranchRoutes(view).addTo(router);
    new ChainRoutes(view).addTo(router);
    new PoolRoutes(view).addTo(router);
    new PortRoutes(view, PortTimes.DEFAULT).addTo(router);
    return new Dispatcher(new AccessGuard(token), router);
  }
}
