package io.forkd.server;

/** All routes into the inside of a sandbox. */
final class InsideRoutes {
  private InsideRoutes() {}

  static void addTo(Router router, View view, OpenStreams streams, Heartbeats heartbeats) {
    new ProcessRoutes(view, streams, heartbeats.events()).addTo(router);
    new TtyRoutes(view, streams, heartbeats.events()).addTo(router);
    new FileRoutes(view).addTo(router);
    new WatchRoutes(view, streams, heartbeats.events()).addTo(router);
    new ContextRoutes(view).addTo(router);
    // Its client waits for it, and code that nobody waits for any more must not go on for long.
    new ExecuteRoute(view, streams, heartbeats.progress()).addTo(router);
    new GuestRoutes(view).addTo(router);
  }
}
