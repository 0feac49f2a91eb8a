package io.forkd.core;

/** Forks snapshots on request: with what the operator decided filled in, and told to everybody. */
final class ForkDesk {
  private final Policy policy;
  private final Shelf shelf;
  private final Templates templates;
  private final Fleet fleet;
  private final Foreground foreground;
  private final News news;
  private final Wiring wiring;

  ForkDesk(
      Policy policy,
      Shelf shelf,
      Templates templates,
      Fleet fleet,
      Foreground foreground,
      News news,
      Wiring wiring) {
    this.policy = policy;
    this.shelf = shelf;
    this.templates = templates;
    this.fleet = fleet;
    this.foreground = foreground;
    this.news = news;
    this.wiring = wiring;
  }

  ForkResult fork(ForkSpec asked) {
    asked.child().egress().ifPresent(wiring::require);
    shelf.requireFiles(asked.tag());
    ForkSpec spec = asked.with(policy.complete(asked.child()));
    ForkResult result =
        foreground.request(
            () -> {
              try (Templates.Lease origin = templates.lease(spec.tag())) {
                return fleet.fork(origin, spec);
              }
            });
    result.sandboxes().forEach(news::created);
    return result;
  }
}
