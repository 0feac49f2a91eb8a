package io.forkd.server;

import io.forkd.base.Progress;
import io.forkd.base.SandboxId;
import io.forkd.base.Tag;
import io.forkd.core.BranchSpec;
import io.forkd.core.Branching;
import io.forkd.core.Capacity;
import io.forkd.core.Collected;
import io.forkd.core.Difference;
import io.forkd.core.EndedSandbox;
import io.forkd.core.Events;
import io.forkd.core.FanOut;
import io.forkd.core.FanOutSpec;
import io.forkd.core.ForkResult;
import io.forkd.core.ForkSpec;
import io.forkd.core.Forkd;
import io.forkd.core.PoolStatus;
import io.forkd.core.Readiness;
import io.forkd.core.RemoveMode;
import io.forkd.core.Sandbox;
import io.forkd.core.SandboxChange;
import io.forkd.core.SandboxUse;
import io.forkd.core.Snapshot;
import io.forkd.core.SnapshotDetail;
import io.forkd.core.SnapshotSpec;
import io.forkd.core.Subject;
import io.forkd.core.Workspace;
import io.forkd.core.WorkspaceName;
import io.forkd.core.WorkspaceSpec;
import io.forkd.guest.EvalResult;
import io.forkd.guest.ExecResult;
import io.forkd.guest.GuestSocket;
import io.forkd.guest.Inside;
import io.forkd.guest.Pong;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The core as one principal may see and use it: what it makes belongs to its owner and is measured,
 * and what belongs to another is not there.
 *
 * <p>It implements every method itself, so that a new one cannot be forgotten.
 */
final class OwnedForkd implements Forkd {
  private final Forkd core;
  private final Meters meters;
  private final Optional<String> owner;
  private final Sight sight;
  private final OwnedNames names;

  OwnedForkd(Forkd core, Meters meters, Principal principal) {
    this.core = core;
    this.meters = meters;
    this.owner = principal.owner();
    this.sight = Sight.of(principal);
    this.names = new OwnedNames(core, sight);
  }

  @Override
  public String vmm() {
    return core.vmm();
  }

  @Override
  public Snapshot createSnapshot(SnapshotSpec spec, Progress progress) {
    // Both kinds of source name what the host has: recipes run as the builder, files are read.
    requireEverything("Making a snapshot of a recipe or of files of the host");
    return core.createSnapshot(spec.withOwner(owner), progress);
  }

  @Override
  public List<Snapshot> snapshots() {
    List<Snapshot> all = core.snapshots();
    return sight.everything() ? all : names.shown(all);
  }

  @Override
  public Snapshot snapshot(Tag tag) {
    return names.shown(names.snapshot(tag));
  }

  @Override
  public SnapshotDetail snapshotDetail(Tag tag) {
    names.snapshot(tag);
    return names.shown(core.snapshotDetail(tag));
  }

  @Override
  public List<Tag> removeSnapshot(Tag tag, RemoveMode mode) {
    names.requireRemovable(tag);
    return core.removeSnapshot(tag, mode);
  }

  @Override
  public Snapshot compact(Tag from, Tag to) {
    // What is flattened belongs to whom the chain belonged to.
    names.requireOwned(names.snapshot(from), "Only an operator may compact it");
    return core.compact(from, to);
  }

  @Override
  public Collected collect(boolean dryRun) {
    requireEverything("Collecting what has expired");
    return core.collect(dryRun);
  }

  @Override
  public ForkResult fork(ForkSpec spec) {
    names.snapshot(spec.tag());
    return meters.forked(
        core.fork(
            new ForkSpec(spec.tag(), spec.n(), spec.measure(), spec.child().withOwner(owner))));
  }

  @Override
  public List<Sandbox> sandboxes() {
    return core.sandboxes().stream().filter(sight::covers).toList();
  }

  @Override
  public Sandbox sandbox(SandboxId id) {
    return names.sandbox(id);
  }

  @Override
  public void kill(SandboxId id) {
    core.kill(names.mine(id));
  }

  @Override
  public List<EndedSandbox> ended() {
    return core.ended().stream().filter(end -> sight.covers(end.owner())).toList();
  }

  @Override
  public Sandbox update(SandboxId id, SandboxChange change) {
    return core.update(names.mine(id), change);
  }

  @Override
  public Sandbox pause(SandboxId id) {
    return core.pause(names.mine(id));
  }

  @Override
  public Sandbox resume(SandboxId id) {
    return core.resume(names.mine(id));
  }

  @Override
  public List<SandboxUse> usage() {
    List<SandboxUse> all = core.usage();
    if (sight.everything()) {
      return all;
    }
    Set<SandboxId> mine = sandboxes().stream().map(Sandbox::id).collect(Collectors.toSet());
    return all.stream().filter(use -> mine.contains(use.id())).toList();
  }

  @Override
  public Workspace createWorkspace(WorkspaceSpec spec) {
    names.snapshot(spec.source());
    return core.createWorkspace(
        new WorkspaceSpec(spec.name(), spec.source(), spec.child().withOwner(owner)));
  }

  @Override
  public List<Workspace> workspaces() {
    return core.workspaces().stream().filter(found -> sight.covers(found.owner())).toList();
  }

  @Override
  public Workspace workspace(WorkspaceName name) {
    return names.workspace(name);
  }

  @Override
  public void deleteWorkspace(WorkspaceName name) {
    core.deleteWorkspace(names.mine(name));
  }

  @Override
  public Workspace suspendWorkspace(WorkspaceName name) {
    return core.suspendWorkspace(names.mine(name));
  }

  @Override
  public Workspace resumeWorkspace(WorkspaceName name) {
    return core.resumeWorkspace(names.mine(name));
  }

  @Override
  public Branching branching() {
    return core.branching();
  }

  @Override
  public Snapshot branch(SandboxId id, BranchSpec spec) {
    BranchSpec owned = spec.withOwner(ownerOfBranch(names.sandbox(id)));
    return names.shown(meters.branched(core.branch(id, owned)));
  }

  @Override
  public FanOut fanOut(SandboxId id, FanOutSpec spec) {
    Sandbox source = names.sandbox(id);
    FanOut made =
        core.fanOut(
            id,
            new FanOutSpec(
                spec.branch().withOwner(ownerOfBranch(source)),
                spec.n(),
                spec.child().withOwner(owner.or(source.given()::owner))));
    return new FanOut(
        names.shown(meters.branched(made.snapshot())), meters.forked(made.children()));
  }

  /**
   * A branch holds the sandbox's memory: when an operator who has no owner takes it, it stays with
   * whom that memory belongs to, rather than being everybody's.
   */
  private Optional<String> ownerOfBranch(Sandbox source) {
    return owner.or(source.given()::owner).or(() -> names.ownerOf(source.snapshotTag()));
  }

  @Override
  public Sandbox rollback(SandboxId id, Tag tag) {
    names.mine(id);
    names.snapshot(tag);
    return core.rollback(id, tag);
  }

  @Override
  public Difference compare(Subject a, Subject b, boolean text) {
    names.requireSeen(a);
    names.requireSeen(b);
    return core.compare(a, b, text);
  }

  @Override
  public Pong ping(SandboxId id) {
    return core.ping(names.mine(id));
  }

  @Override
  public ExecResult exec(SandboxId id, List<String> args, Duration timeout) {
    SandboxId mine = names.mine(id);
    return meters.execs.time(() -> core.exec(mine, args, timeout));
  }

  @Override
  public EvalResult eval(SandboxId id, String code, Duration timeout) {
    SandboxId mine = names.mine(id);
    return meters.evals.time(() -> core.eval(mine, code, timeout));
  }

  @Override
  public GuestSocket connect(SandboxId id, int port) {
    return core.connect(names.mine(id), port);
  }

  @Override
  public Inside inside(SandboxId id) {
    return core.inside(names.mine(id));
  }

  @Override
  public PoolStatus setPool(Tag tag, int warm) {
    requireEverything("Keeping a pool");
    return core.setPool(tag, warm);
  }

  @Override
  public List<PoolStatus> pools() {
    List<PoolStatus> all = core.pools();
    if (sight.everything()) {
      return all;
    }
    Set<Tag> seen = snapshots().stream().map(Snapshot::tag).collect(Collectors.toSet());
    return all.stream().filter(pool -> seen.contains(pool.tag())).toList();
  }

  @Override
  public Capacity capacity() {
    return core.capacity();
  }

  @Override
  public Readiness readiness() {
    return core.readiness();
  }

  /** All of them: who passes them on must ask {@link Sight#covers(io.forkd.core.Event)}. */
  @Override
  public Events events() {
    return core.events();
  }

  @Override
  public void close() {
    throw new UnsupportedOperationException("the core belongs to the daemon");
  }

  private void requireEverything(String what) {
    if (!sight.everything()) {
      throw OwnedNames.forbidden(what + " needs the role operator.");
    }
  }
}
