package io.forkd.server;

import io.forkd.base.ForkdException;
import io.forkd.base.SandboxId;
import io.forkd.base.Tag;
import io.forkd.core.Collected;
import io.forkd.core.RemoveMode;
import io.forkd.core.Sandbox;
import io.forkd.core.Snapshot;
import io.forkd.core.SnapshotDetail;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/** Who descends from whom in a core in memory, and what becomes of them. */
final class FakeFamily {
  /** The fake's clock, for what expires. */
  volatile Instant now = FakeForkd.CREATED;

  private final FakeForkd forkd;
  private final Map<SandboxId, List<Tag>> branches = new ConcurrentHashMap<>();

  FakeFamily(FakeForkd forkd) {
    this.forkd = forkd;
  }

  SnapshotDetail detail(Snapshot snapshot) {
    return new SnapshotDetail(
        snapshot,
        ancestors(snapshot),
        dependents(snapshot.tag()),
        forkd.sandboxes.values().stream()
            .filter(sandbox -> sandbox.snapshotTag().equals(snapshot.tag()))
            .map(Sandbox::id)
            .sorted()
            .toList());
  }

  private List<Tag> ancestors(Snapshot snapshot) {
    List<Tag> ancestors = new ArrayList<>();
    Optional<Tag> parent = snapshot.parent().map(Snapshot.Parent::tag);
    while (parent.isPresent()) {
      ancestors.addFirst(parent.get());
      parent =
          Optional.ofNullable(forkd.snapshots.get(parent.get()))
              .flatMap(Snapshot::parent)
              .map(Snapshot.Parent::tag);
    }
    return ancestors;
  }

  private List<Tag> dependents(Tag tag) {
    return forkd.snapshots.values().stream()
        .filter(other -> other.parent().map(Snapshot.Parent::tag).equals(Optional.of(tag)))
        .map(Snapshot::tag)
        .sorted()
        .toList();
  }

  List<Tag> remove(Tag tag, RemoveMode mode) {
    List<Tag> dependents = dependents(tag);
    List<Tag> removed = new ArrayList<>();
    switch (mode) {
      case SAFE -> refuse(tag, dependents);
      case CASCADE -> dependents.forEach(dependent -> removed.addAll(remove(dependent, mode)));
      case FORCE -> dependents.forEach(dependent -> breakUp(dependent, tag));
    }
    if (forkd.snapshots.remove(tag) == null) {
      throw new IllegalStateException("removed twice");
    }
    removed.add(tag);
    return removed;
  }

  private static void refuse(Tag tag, List<Tag> dependents) {
    if (!dependents.isEmpty()) {
      throw ForkdException.conflict("Snapshot %s is the parent of %s.", tag, dependents);
    }
  }

  private void breakUp(Tag dependent, Tag parent) {
    forkd.snapshots.computeIfPresent(
        dependent,
        (_, found) ->
            SnapshotDraft.like(found).failed("Its parent %s is gone.".formatted(parent)).done());
  }

  Snapshot compact(Snapshot from, Tag to) {
    if (forkd.snapshots.containsKey(to)) {
      throw ForkdException.conflict("A snapshot %s exists already.", to);
    }
    Snapshot flat =
        new SnapshotDraft(to.value()).contentHash(from.contentHash()).owner(from.owner()).done();
    forkd.files.copy(from.tag(), to);
    forkd.snapshots.put(to, flat);
    return flat;
  }

  Collected collect(boolean dryRun) {
    List<Collected.Item> items =
        forkd.snapshots.values().stream()
            .filter(s -> s.expiresAt().filter(end -> !end.isAfter(now)).isPresent())
            .filter(s -> dependents(s.tag()).isEmpty())
            .map(s -> new Collected.Item(s.tag(), "expired", s.memoryPhysicalBytes()))
            .sorted(Comparator.comparing(Collected.Item::tag))
            .toList();
    if (!dryRun) {
      items.forEach(item -> remove(item.tag(), RemoveMode.SAFE));
    }
    return new Collected(dryRun, items, items.stream().mapToLong(Collected.Item::bytes).sum());
  }

  void noteBranch(Sandbox source, Tag tag, Optional<Integer> keepLast) {
    List<Tag> taken = branches.computeIfAbsent(source.id(), _ -> new ArrayList<>());
    synchronized (taken) {
      taken.add(tag);
      forkd.sandboxes.computeIfPresent(
          source.id(),
          (_, found) -> copy(found, found.snapshotTag(), found.pid(), found.branchCount() + 1));
      int surplus = taken.size() - keepLast.orElse(taken.size());
      for (Tag old : List.copyOf(taken.subList(0, Math.max(0, surplus)))) {
        if (dependents(old).isEmpty()) {
          forkd.snapshots.remove(old);
          taken.remove(old);
        }
      }
    }
  }

  Sandbox rollback(Sandbox sandbox, Snapshot target) {
    Tag mine = root(forkd.snapshot(sandbox.snapshotTag()));
    if (!root(target).equals(mine)) {
      throw ForkdException.conflict(
          "Snapshot %s is not of the family of %s: choose one that descends from %s.",
          target.tag(), sandbox.id(), mine);
    }
    forkd.files.copy(target.tag(), sandbox.id());
    Sandbox back = copy(sandbox, target.tag(), sandbox.pid() + 1, sandbox.branchCount());
    forkd.sandboxes.put(sandbox.id(), back);
    return back;
  }

  private Tag root(Snapshot snapshot) {
    List<Tag> ancestors = ancestors(snapshot);
    return ancestors.isEmpty() ? snapshot.tag() : ancestors.getFirst();
  }

  private static Sandbox copy(Sandbox sandbox, Tag tag, long pid, int branchCount) {
    return new Sandbox(
        sandbox.id(),
        tag,
        sandbox.createdAt(),
        pid,
        sandbox.pooled(),
        sandbox.proof(),
        sandbox.phasesMs(),
        sandbox.restored(),
        branchCount,
        sandbox.branchWay(),
        sandbox.expiresAt(),
        sandbox.state(),
        sandbox.given(),
        sandbox.network());
  }
}
