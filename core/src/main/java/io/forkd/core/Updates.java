package io.forkd.core;

import java.util.Optional;

/** Changes what running sandboxes were given. */
final class Updates {
  /** What a guest is shown that has no limit any more. */
  private static final Limits ALL_CPUS =
      new Limits(
          Optional.empty(),
          Optional.of((double) Limits.MOST_CPUS),
          Optional.empty(),
          Optional.empty());

  private Updates() {}

  /** What a sandbox is given after a change. */
  static ChildSpec merged(ChildSpec before, SandboxChange change) {
    return new ChildSpec(
        change.limits().orElse(before.limits()),
        change.lifetime().orElse(before.lifetime()),
        change.egress().or(before::egress),
        change.labels().orElse(before.labels()),
        before.owner());
  }

  /** What holds the sandbox is changed first: a record must not promise what does not hold. */
  static void apply(LiveSandbox sandbox, SandboxChange change, Admission admission) {
    sandbox.stillness().lock();
    try {
      sandbox.requireStaying();
      ChildSpec before = sandbox.sandboxRecord().given();
      Limits limits = merged(before, change).limits();
      try (Admission.Reservation _ = admission.admitChange(before.limits(), limits)) {
        if (!limits.equals(before.limits())) {
          sandbox.place().limit(limits);
          Forker.showCpus(sandbox, limits.or(ALL_CPUS));
        }
        change
            .egress()
            .ifPresent(
                egress -> sandbox.place().network().ifPresent(network -> network.apply(egress)));
        sandbox.keep(sandbox.sandboxRecord().with(draft -> change(draft, change)));
      }
    } finally {
      sandbox.stillness().unlock();
    }
  }

  static void change(SandboxRecord.Draft draft, SandboxChange change) {
    draft.given = merged(draft.given, change);
    Optional<Lifetime> lifetime = change.lifetime();
    if (lifetime.isPresent()) {
      draft.expiresAtUnix =
          draft.state == SandboxRecord.State.PAUSED
              ? Optional.empty()
              : Lifetime.endUnix(lifetime.get().ttl());
    }
  }
}
