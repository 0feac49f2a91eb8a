package io.forkd.core;

import io.forkd.base.ErrorCode;
import io.forkd.base.ForkdException;
import io.forkd.base.SandboxId;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Forks many children of one template at once: a result per child. */
final class Fleet {
  private final Forker forker;
  private final Identities identities;
  private final Foreground foreground;
  private final SandboxTable sandboxes;
  private final Pools pools;
  private final Admission admission;

  Fleet(
      Forker forker,
      Identities identities,
      Foreground foreground,
      SandboxTable sandboxes,
      Pools pools,
      Admission admission) {
    this.forker = forker;
    this.identities = identities;
    this.foreground = foreground;
    this.sandboxes = sandboxes;
    this.pools = pools;
    this.admission = admission;
  }

  /** Makes room for children, before anything is done for them. */
  Admission.Reservation admit(int n, ChildSpec child) {
    return admission.admit(n, child.limits());
  }

  ForkResult fork(Templates.Lease origin, ForkSpec spec) {
    try (Admission.Reservation room = admit(spec.n(), spec.child())) {
      return fork(origin, spec, room);
    }
  }

  ForkResult fork(Templates.Lease origin, ForkSpec spec, Admission.Reservation room) {
    String batch = identities.newBatch();
    List<Future<LiveSandbox>> children = new ArrayList<>();
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int i = 0; i < spec.n(); i++) {
        SandboxId id = SandboxId.of(batch, i);
        children.add(threads.submit(() -> child(spec, origin, id, room)));
      }
    }
    return gather(children);
  }

  private LiveSandbox child(
      ForkSpec spec, Templates.Lease origin, SandboxId id, Admission.Reservation room) {
    PhaseTimer timer = new PhaseTimer();
    return foreground.piece(
        () -> {
          timer.done("queue");
          LiveSandbox child =
              fromPool(spec, timer).orElseGet(() -> forker.fork(origin, id, spec, timer));
          room.settle(() -> sandboxes.add(child));
          return child;
        });
  }

  /** A parked child may have died unnoticed; that costs the next one a try, never the caller. */
  private Optional<LiveSandbox> fromPool(ForkSpec spec, PhaseTimer timer) {
    if (spec.measure()) {
      // A pooled child has run, so what it cost when restored can no longer be seen.
      return Optional.empty();
    }
    while (true) {
      Optional<LiveSandbox> parked = pools.take(spec.tag());
      if (parked.isEmpty()) {
        return parked;
      }
      try {
        return Optional.of(forker.unpark(parked.get(), spec, timer));
      } catch (ForkdException e) {
        if (e.code() == ErrorCode.BAD_REQUEST) {
          throw e; // the next one cannot do it either
        }
        Log.CORE.warn("parked child {} was of no use: {}", parked.get().id(), e.getMessage());
      }
    }
  }

  private static ForkResult gather(List<Future<LiveSandbox>> children) {
    List<Sandbox> alive = new ArrayList<>();
    List<ForkResult.Failure> failures = new ArrayList<>();
    ForkdException first = null;
    for (int i = 0; i < children.size(); i++) {
      try {
        alive.add(children.get(i).get().sandboxRecord().toSandbox());
      } catch (ExecutionException e) {
        Throwable cause = e.getCause() == null ? e : e.getCause();
        Log.CORE.warn("child {} of a fork failed", i, cause);
        failures.add(new ForkResult.Failure(i, String.valueOf(cause.getMessage())));
        first = first == null ? asForkdException(cause) : first;
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new ForkdException(ErrorCode.INTERNAL, "interrupted while forking", e);
      }
    }
    if (alive.isEmpty() && first != null) {
      throw first;
    }
    return new ForkResult(alive, failures);
  }

  private static ForkdException asForkdException(Throwable cause) {
    return cause instanceof ForkdException known
        ? known
        : new ForkdException(ErrorCode.INTERNAL, "the child could not be made: " + cause, cause);
  }
}
