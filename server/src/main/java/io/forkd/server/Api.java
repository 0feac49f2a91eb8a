package io.forkd.server;

import io.forkd.base.Locations;
import io.forkd.core.Events;
import io.forkd.core.Forkd;
import io.forkd.server.e2b.E2bSettings;
import io.forkd.server.http.HttpHandler;
import java.time.Clock;
import java.util.List;

/** REST v1 over a core: every route behind one guarded door, and a watch over what goes on. */
final class Api implements AutoCloseable {
  private static final int AUDIT_FILES = 10;
  private static final long LARGEST_AUDIT_FILE = 32L << 20;

  private final Router router = new Router();
  private final Meters meters = new Meters();
  private final AuditLog audit;
  private final Events.Subscription counting;
  private final EventStreams streams;
  private final E2bDoor e2b;
  private final Dispatcher dispatcher;

  /**
   * @param stop asks the daemon to stop and returns at once
   */
  Api(
      Forkd core,
      Locations locations,
      Access access,
      AnswerBook answers,
      Heartbeats heartbeats,
      E2bSettings settings,
      Runnable stop) {
    View view = Access.view(core, meters);
    counting = core.events().subscribe(0, meters::happened);
    audit =
        new AuditLog(
            new RotatingFile(
                locations.log().resolveSibling("audit.jsonl"), LARGEST_AUDIT_FILE, AUDIT_FILES),
            meters.auditDrops);
    streams = new EventStreams(core, meters, heartbeats.events());
    new SystemRoutes(view, locations, stop).addTo(router);
    new HealthRoutes(core, new Metrics(core, meters)).addTo(router);
    new UsageRoutes(view).addTo(router);
    streams.addTo(router);
    Idempotency idempotency = new Idempotency(answers, Clock.systemUTC());
    new SnapshotRoutes(view, heartbeats.progress(), idempotency).addTo(router);
    new LifecycleRoutes(view, Clock.systemUTC()).addTo(router);
    new SandboxRoutes(view, idempotency).addTo(router);
    new WorkspaceRoutes(view, idempotency).addTo(router);
    new BranchRoutes(view, idempotency).addTo(router);
    new ChainRoutes(view).addTo(router);
    new PoolRoutes(view).addTo(router);
    PortRoutes ports = new PortRoutes(view, PortTimes.DEFAULT);
    ports.addTo(router);
    InsideRoutes.addTo(router, view, meters.streams, heartbeats);
    new KeyRoutes(access.keys()).addTo(router);
    new OpenApiRoute(router).add();
    AccessGuard guard = access.guard();
    e2b = new E2bDoor(core, view, guard, access.keys(), ports, idempotency, settings, locations);
    dispatcher = new Dispatcher(guard, router, e2b::find, new Watch(meters, audit));
  }

  HttpHandler handler() {
    return dispatcher;
  }

  /** All that it can do. */
  List<Operation> operations() {
    return router.operations();
  }

  /** Ends answers that would go on for ever; the rest may finish. */
  void endStreams() {
    streams.end();
  }

  /** Called when the last request is answered. */
  @Override
  public void close() {
    streams.end();
    e2b.close();
    counting.close();
    audit.close();
  }
}
