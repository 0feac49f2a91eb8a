package io.forkd.core;

import io.forkd.base.ErrorCode;
import io.forkd.base.ForkdException;
import io.forkd.base.SandboxId;
import io.forkd.base.Tag;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.function.Function;

/** Finds out what differs between two snapshots or sandboxes. */
final class Comparer {
  private static final Duration LOOK_WAIT = Duration.ofMinutes(5);

  /** What guests tell is held in memory, and a hostile one tells much. */
  private static final int AT_ONCE = 2;

  private final Semaphore permits = new Semaphore(AT_ONCE);
  private final Templates templates;
  private final Forker forker;
  private final Identities identities;
  private final Brancher brancher;
  private final Function<SandboxId, LiveSandbox> awake;

  /**
   * Prepares to compare.
   *
   * @param awake finds a sandbox that can answer
   */
  Comparer(
      Templates templates,
      Forker forker,
      Identities identities,
      Brancher brancher,
      Function<SandboxId, LiveSandbox> awake) {
    this.templates = templates;
    this.forker = forker;
    this.identities = identities;
    this.brancher = brancher;
    this.awake = awake;
  }

  /** A subject made visible: its memory, its disk, and a guest that can be asked. */
  private record Seen(LayerStack memory, String rootfs, GuestView guest) {}

  Difference compare(Subject a, Subject b, boolean text) {
    if (a.equals(b)) {
      throw ForkdException.badRequest("%s cannot be compared with itself.", a);
    }
    if (!permits.tryAcquire()) {
      throw new ForkdException(
          ErrorCode.FULL,
          "%d comparisons are under way, and no more may be at once: try again in a moment."
              .formatted(AT_ONCE));
    }
    try {
      return with(a, left -> with(b, right -> compare(left, right, text)));
    } finally {
      permits.release();
    }
  }

  private static Difference compare(Seen a, Seen b, boolean text) {
    return CompareGuests.compare(a.guest(), b.guest(), a.rootfs().equals(b.rootfs()), text)
        .with(ComparePages.count(a.memory(), b.memory()));
  }

  private <T> T with(Subject subject, Function<Seen, T> work) {
    return switch (subject) {
      case Subject.OfSnapshot(Tag tag) -> withSnapshot(tag, work);
      case Subject.OfSandbox(SandboxId id) -> withSandbox(awake.apply(id), work);
    };
  }

  /** A child nobody else sees is asked in the snapshot's place. */
  private <T> T withSnapshot(Tag tag, Function<Seen, T> work) {
    try (Templates.Lease origin = templates.lease(tag)) {
      SandboxId id = SandboxId.of(identities.newBatch(), 0);
      LiveSandbox child =
          forker.fork(origin, id, new ForkSpec(tag, 1, Optional.empty()), new PhaseTimer());
      try {
        Template template = origin.template();
        return work.apply(
            new Seen(
                template.memory(),
                template.about().rootfs().sha256(),
                GuestView.of(child.agent(), LOOK_WAIT)));
      } finally {
        child.end();
      }
    }
  }

  /** Its memory is captured as for a branch, and forgotten afterwards. */
  private <T> T withSandbox(LiveSandbox sandbox, Function<Seen, T> work) {
    try (Templates.Lease origin = brancher.origin(sandbox).share();
        LayerStack memory = brancher.memoryOf(sandbox, origin.template())) {
      return work.apply(
          new Seen(
              memory,
              origin.template().about().rootfs().sha256(),
              GuestView.of(sandbox.agent(), LOOK_WAIT)));
    } catch (RuntimeException e) {
      throw sandbox.explained(e);
    }
  }
}
