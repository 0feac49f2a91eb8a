package io.forkd.core;

import io.forkd.base.ErrorCode;
import io.forkd.base.ForkdException;
import io.forkd.base.Tag;
import io.forkd.store.StoredSnapshot;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Future;

/** What users do with running sandboxes: branch, fan out, roll back. */
final class Branches {
  private final Brancher brancher;
  private final Rollback rollback;
  private final Fleet fleet;
  private final Shelf shelf;
  private final LiveTracking live;

  /**
   * Puts the parts together.
   *
   * @param live how this host can take live branches
   */
  Branches(Brancher brancher, Rollback rollback, Fleet fleet, Shelf shelf, LiveTracking live) {
    this.brancher = brancher;
    this.rollback = rollback;
    this.fleet = fleet;
    this.shelf = shelf;
    this.live = live;
  }

  Branching ability() {
    return new Branching(live.way(), live.reason(), brancher.inFlight(), Brancher.CAP);
  }

  Snapshot branch(LiveSandbox source, BranchSpec spec) {
    try (Brancher.Branched branched = brancher.branch(source, spec)) {
      thin(source, spec, branched.written());
      if (spec.awaitDisk()) {
        return shelf.view(await(branched.written()));
      }
      await(branched.announced());
      return shelf.view(branched.view().pending());
    }
  }

  /**
   * The last branch of a sandbox, on disk: it stands still when this returns.
   *
   * @param whole whether to write all memory, so that the snapshot depends on no other
   */
  Snapshot last(LiveSandbox source, Tag tag, boolean whole, Optional<String> owner) {
    BranchSpec spec =
        new BranchSpec(
            Optional.of(tag),
            Optional.of(whole ? BranchMode.FULL : BranchMode.DIFF),
            true,
            Optional.empty(),
            Optional.empty(),
            owner);
    try (Brancher.Branched branched = brancher.last(source, spec)) {
      return shelf.view(await(branched.written()));
    }
  }

  /** The children do not wait for the disk; the caller learns of the branch as it is then. */
  FanOut fanOut(LiveSandbox source, FanOutSpec spec) {
    BranchSpec announced = spec.branch().withoutWaiting();
    try (Admission.Reservation room = fleet.admit(spec.n(), spec.child());
        Brancher.Branched branched = brancher.branch(source, announced)) {
      ForkResult children =
          fleet.fork(
              branched.origin(),
              new ForkSpec(branched.view().tag(), spec.n(), false, spec.child()),
              room);
      thin(source, announced, branched.written());
      await(branched.announced());
      Snapshot snapshot =
          branched.written().state() == Future.State.SUCCESS
              ? shelf.view(branched.written().join())
              : shelf.view(branched.view().pending());
      return new FanOut(snapshot, children);
    }
  }

  Sandbox rollback(LiveSandbox sandbox, Tag tag) {
    try (Templates.Lease origin = brancher.origin(sandbox).share()) {
      rollback.run(sandbox, origin, tag);
    }
    return sandbox.sandboxRecord().toSandbox();
  }

  private void thin(
      LiveSandbox source, BranchSpec spec, CompletableFuture<StoredSnapshot> written) {
    spec.keepLast()
        .ifPresent(
            count -> {
              var _ = written.thenRun(() -> shelf.keepLast(source.id(), count));
            });
  }

  private static <T> T await(CompletableFuture<T> written) {
    try {
      return written.join();
    } catch (CompletionException e) {
      throw e.getCause() instanceof ForkdException cause
          ? cause
          : new ForkdException(ErrorCode.INTERNAL, "the branch could not be written", e);
    }
  }
}
