package io.forkd.server;

import io.forkd.base.ErrorCode;
import io.forkd.base.ForkdException;
import io.forkd.base.SandboxId;
import io.forkd.base.Tag;
import io.forkd.core.Forkd;
import io.forkd.core.Sandbox;
import io.forkd.core.Snapshot;
import io.forkd.core.SnapshotDetail;
import io.forkd.core.Subject;
import io.forkd.core.Workspace;
import io.forkd.core.WorkspaceName;
import io.forkd.server.http.HttpProblem;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * Finds what a principal names, if it is the principal's to name: what is another's is refused in
 * the same words as what does not exist.
 */
final class OwnedNames {
  private final Forkd core;
  private final Sight sight;

  OwnedNames(Forkd core, Sight sight) {
    this.core = core;
    this.sight = sight;
  }

  Sandbox sandbox(SandboxId id) {
    if (sight.everything()) {
      return core.sandbox(id);
    }
    ForkdException absent =
        ForkdException.notFound("no sandbox has the id %s: `forkd ls` lists them.", id);
    return found(() -> core.sandbox(id), () -> endedMine(id), absent, sight::covers);
  }

  /** The id of a sandbox that the principal may use. */
  SandboxId mine(SandboxId id) {
    // Whoever sees everything is spared the look: the call itself says what is not there.
    return sight.everything() ? id : sandbox(id).id();
  }

  void requireSeen(Subject subject) {
    switch (subject) {
      case Subject.OfSnapshot(Tag tag) -> snapshot(tag);
      case Subject.OfSandbox(SandboxId id) -> mine(id);
    }
  }

  Workspace workspace(WorkspaceName name) {
    if (sight.everything()) {
      return core.workspace(name);
    }
    ForkdException absent = ForkdException.notFound("no workspace is called %s.", name);
    return found(
        () -> core.workspace(name), () -> false, absent, space -> sight.covers(space.owner()));
  }

  WorkspaceName mine(WorkspaceName name) {
    return sight.everything() ? name : workspace(name).name();
  }

  Snapshot snapshot(Tag tag) {
    if (sight.everything()) {
      return core.snapshot(tag);
    }
    ForkdException absent =
        ForkdException.notFound("no snapshot is called %s: `forkd images` lists them.", tag);
    return found(() -> core.snapshot(tag), () -> false, absent, sight::sees);
  }

  /** Whose a snapshot is; empty also when it is gone. */
  Optional<String> ownerOf(Tag tag) {
    try {
      return core.snapshot(tag).owner();
    } catch (ForkdException e) {
      return Optional.empty();
    }
  }

  /**
   * Looks something up.
   *
   * @param tellWhy whether the principal may hear what became of something that is not there
   */
  private static <T> T found(
      Supplier<T> lookup, BooleanSupplier tellWhy, ForkdException absent, Predicate<T> visible) {
    T found;
    try {
      found = lookup.get();
    } catch (ForkdException e) {
      if (e.code() == ErrorCode.NOT_FOUND && !tellWhy.getAsBoolean()) {
        throw absent;
      }
      throw e;
    }
    if (!visible.test(found)) {
      throw absent;
    }
    return found;
  }

  private boolean endedMine(SandboxId id) {
    return core.ended().stream().anyMatch(end -> end.id().equals(id) && sight.covers(end.owner()));
  }

  void requireOwned(Snapshot snapshot, String rule) {
    if (!sight.covers(snapshot.owner())) {
      throw forbidden("Snapshot %s is everybody's. %s.".formatted(snapshot.tag(), rule));
    }
  }

  /** Removing a snapshot must not take or break what descends from it and is another's. */
  void requireRemovable(Tag tag) {
    if (sight.everything()) {
      return;
    }
    requireOwned(snapshot(tag), "Only an operator may remove it");
    requireOwnDescendants(tag, tag);
  }

  private void requireOwnDescendants(Tag root, Tag tag) {
    for (Tag dependent : core.snapshotDetail(tag).dependents()) {
      if (!sight.covers(core.snapshot(dependent).owner())) {
        throw ForkdException.conflict(
            "snapshot %s has descendants that are not yours: ask an operator to remove it.", root);
      }
      requireOwnDescendants(root, dependent);
    }
  }

  List<Snapshot> shown(List<Snapshot> all) {
    List<Snapshot> seen = all.stream().filter(sight::sees).toList();
    Set<Tag> tags = seen.stream().map(Snapshot::tag).collect(Collectors.toSet());
    return seen.stream().map(snapshot -> withParentAmong(tags, snapshot)).toList();
  }

  Snapshot shown(Snapshot snapshot) {
    return withParentAmong(
        snapshot.parent().map(Snapshot.Parent::tag).filter(this::sees).stream()
            .collect(Collectors.toSet()),
        snapshot);
  }

  /** A family without the members that are another's. */
  SnapshotDetail shown(SnapshotDetail detail) {
    if (sight.everything()) {
      return detail;
    }
    Set<SandboxId> mine =
        core.sandboxes().stream()
            .filter(sight::covers)
            .map(Sandbox::id)
            .collect(Collectors.toSet());
    return new SnapshotDetail(
        shown(detail.snapshot()),
        detail.ancestors().stream().filter(this::sees).toList(),
        detail.dependents().stream().filter(this::sees).toList(),
        detail.sandboxes().stream().filter(mine::contains).toList());
  }

  private boolean sees(Tag tag) {
    try {
      return sight.everything() || sight.sees(core.snapshot(tag));
    } catch (ForkdException e) {
      return false;
    }
  }

  private Snapshot withParentAmong(Set<Tag> seen, Snapshot s) {
    boolean hidden = s.parent().isPresent() && !seen.contains(s.parent().get().tag());
    return sight.everything() || !hidden ? s : withoutParent(s);
  }

  private static Snapshot withoutParent(Snapshot s) {
    return new Snapshot(
        s.tag(),
        s.dir(),
        s.createdAt(),
        s.status(),
        s.bootable(),
        s.warning(),
        s.source(),
        s.arch(),
        s.vmm(),
        s.machine(),
        s.memoryMib(),
        s.vcpus(),
        s.memoryLogicalBytes(),
        s.memoryPhysicalBytes(),
        s.vmstateBytes(),
        s.contentHash(),
        s.runtimes(),
        Optional.empty(),
        s.chainDepth(),
        s.branch(),
        s.expiresAt(),
        s.owner());
  }

  static HttpProblem forbidden(String why) {
    return new HttpProblem(403, why);
  }
}
