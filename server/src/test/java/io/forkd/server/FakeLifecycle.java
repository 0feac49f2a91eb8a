package io.forkd.server;

import io.forkd.base.ForkdException;
import io.forkd.base.SandboxId;
import io.forkd.core.ChildSpec;
import io.forkd.core.EndReason;
import io.forkd.core.EndedSandbox;
import io.forkd.core.Lifetime;
import io.forkd.core.Sandbox;
import io.forkd.core.SandboxChange;
import io.forkd.core.SandboxState;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;

/** The lives of a core's sandboxes in memory: changes, pauses and ends. */
final class FakeLifecycle {
  final List<SandboxChange> changes = new CopyOnWriteArrayList<>();
  private final List<EndedSandbox> ended = new CopyOnWriteArrayList<>();
  private final FakeForkd forkd;

  FakeLifecycle(FakeForkd forkd) {
    this.forkd = forkd;
  }

  List<EndedSandbox> ended() {
    return List.copyOf(ended);
  }

  void end(Sandbox sandbox, EndReason reason) {
    forkd.sandboxes.remove(sandbox.id());
    ended.addFirst(
        new EndedSandbox(
            sandbox.id(),
            sandbox.snapshotTag(),
            sandbox.createdAt(),
            forkd.family.now,
            reason,
            sandbox.given().labels(),
            sandbox.given().owner()));
  }

  Sandbox update(Sandbox sandbox, SandboxChange change) {
    changes.add(change);
    ChildSpec before = sandbox.given();
    ChildSpec after =
        new ChildSpec(
            change.limits().orElse(before.limits()),
            change.lifetime().orElse(before.lifetime()),
            change.egress().or(before::egress),
            change.labels().orElse(before.labels()),
            before.owner());
    Sandbox changed =
        copy(
            sandbox,
            sandbox.state(),
            after,
            change.lifetime().isPresent()
                ? change.lifetime().flatMap(Lifetime::ttl).map(forkd.family.now::plus)
                : sandbox.expiresAt());
    forkd.sandboxes.put(sandbox.id(), changed);
    return changed;
  }

  Sandbox move(Sandbox sandbox, SandboxState state) {
    Sandbox moved = copy(sandbox, state, sandbox.given(), sandbox.expiresAt());
    forkd.sandboxes.put(sandbox.id(), moved);
    return moved;
  }

  /** A sandbox that can be called. */
  Sandbox running(SandboxId id) {
    Sandbox sandbox = forkd.sandbox(id);
    if (sandbox.state() == SandboxState.PAUSED) {
      throw ForkdException.conflict(
          "Sandbox %s is paused. Next: resume it, `forkd resume %s`.", id, id);
    }
    return sandbox;
  }

  private static Sandbox copy(
      Sandbox sandbox, SandboxState state, ChildSpec given, Optional<Instant> expiresAt) {
    return new Sandbox(
        sandbox.id(),
        sandbox.snapshotTag(),
        sandbox.createdAt(),
        state == SandboxState.PAUSED ? 0 : 4242,
        sandbox.pooled(),
        sandbox.proof(),
        sandbox.phasesMs(),
        sandbox.restored(),
        sandbox.branchCount(),
        sandbox.branchWay(),
        expiresAt,
        state,
        given,
        sandbox.network());
  }
}
