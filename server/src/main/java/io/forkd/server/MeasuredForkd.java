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
import io.forkd.core.Event;
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

/** A core whose work is timed and whose ends are counted. */
final class MeasuredForkd implements Forkd {
  private static final double MS_PER_SECOND = 1000;

  private final Forkd core;
  private final Meters meters;
  private final Events.Subscription counting;

  MeasuredForkd(Forkd core, Meters meters) {
    this.core = core;
    this.meters = meters;
    this.counting = core.events().subscribe(0, this::count);
  }

  private void count(Event event) {
    if (event.type().equals("sandbox.ended")) {
      meters.ends.increment(event.details().getOrDefault("reason", "unknown"));
    }
  }

  private void observe(ForkResult result) {
    for (Sandbox sandbox : result.sandboxes()) {
      Optional.ofNullable(sandbox.phasesMs().get("total"))
          .ifPresent(total -> meters.forks.observe(total / MS_PER_SECOND));
    }
  }

  private void observe(Snapshot snapshot) {
    snapshot
        .branch()
        .ifPresent(branch -> meters.branchPauses.observe(branch.pauseMs() / MS_PER_SECOND));
  }

  @Override
  public String vmm() {
    return core.vmm();
  }

  @Override
  public Snapshot createSnapshot(SnapshotSpec spec, Progress progress) {
    return core.createSnapshot(spec, progress);
  }

  @Override
  public List<Snapshot> snapshots() {
    return core.snapshots();
  }

  @Override
  public Snapshot snapshot(Tag tag) {
    return core.snapshot(tag);
  }

  @Override
  public SnapshotDetail snapshotDetail(Tag tag) {
    return core.snapshotDetail(tag);
  }

  @Override
  public List<Tag> removeSnapshot(Tag tag, RemoveMode mode) {
    return core.removeSnapshot(tag, mode);
  }

  @Override
  public Snapshot compact(Tag from, Tag to) {
    return core.compact(from, to);
  }

  @Override
  public Collected collect(boolean dryRun) {
    return core.collect(dryRun);
  }

  @Override
  public ForkResult fork(ForkSpec spec) {
    ForkResult result = core.fork(spec);
    observe(result);
    return result;
  }

  @Override
  public List<Sandbox> sandboxes() {
    return core.sandboxes();
  }

  @Override
  public Sandbox sandbox(SandboxId id) {
    return core.sandbox(id);
  }

  @Override
  public void kill(SandboxId id) {
    core.kill(id);
  }

  @Override
  public List<EndedSandbox> ended() {
    return core.ended();
  }

  @Override
  public Sandbox update(SandboxId id, SandboxChange change) {
    return core.update(id, change);
  }

  @Override
  public Sandbox pause(SandboxId id) {
    return core.pause(id);
  }

  @Override
  public Sandbox resume(SandboxId id) {
    return core.resume(id);
  }

  @Override
  public List<SandboxUse> usage() {
    return core.usage();
  }

  @Override
  public Workspace createWorkspace(WorkspaceSpec spec) {
    return core.createWorkspace(spec);
  }

  @Override
  public List<Workspace> workspaces() {
    return core.workspaces();
  }

  @Override
  public Workspace workspace(WorkspaceName name) {
    return core.workspace(name);
  }

  @Override
  public void deleteWorkspace(WorkspaceName name) {
    core.deleteWorkspace(name);
  }

  @Override
  public Workspace suspendWorkspace(WorkspaceName name) {
    return core.suspendWorkspace(name);
  }

  @Override
  public Workspace resumeWorkspace(WorkspaceName name) {
    return core.resumeWorkspace(name);
  }

  @Override
  public Branching branching() {
    return core.branching();
  }

  @Override
  public Snapshot branch(SandboxId id, BranchSpec spec) {
    Snapshot snapshot = core.branch(id, spec);
    observe(snapshot);
    return snapshot;
  }

  @Override
  public FanOut fanOut(SandboxId id, FanOutSpec spec) {
    FanOut fanOut = core.fanOut(id, spec);
    observe(fanOut.snapshot());
    observe(fanOut.children());
    return fanOut;
  }

  @Override
  public Sandbox rollback(SandboxId id, Tag tag) {
    return core.rollback(id, tag);
  }

  @Override
  public Difference compare(Subject a, Subject b, boolean text) {
    return core.compare(a, b, text);
  }

  @Override
  public Pong ping(SandboxId id) {
    return core.ping(id);
  }

  @Override
  public ExecResult exec(SandboxId id, List<String> args, Duration timeout) {
    long start = System.nanoTime();
    try {
      return core.exec(id, args, timeout);
    } finally {
      meters.execs.observeSince(start);
    }
  }

  @Override
  public EvalResult eval(SandboxId id, String code, Duration timeout) {
    long start = System.nanoTime();
    try {
      return core.eval(id, code, timeout);
    } finally {
      meters.evals.observeSince(start);
    }
  }

  @Override
  public GuestSocket connect(SandboxId id, int port) {
    return core.connect(id, port);
  }

  @Override
  public Inside inside(SandboxId id) {
    return core.inside(id);
  }

  @Override
  public PoolStatus setPool(Tag tag, int warm) {
    return core.setPool(tag, warm);
  }

  @Override
  public List<PoolStatus> pools() {
    return core.pools();
  }

  @Override
  public Capacity capacity() {
    return core.capacity();
  }

  @Override
  public Readiness readiness() {
    return core.readiness();
  }

  @Override
  public Events events() {
    return core.events();
  }

  @Override
  public void close() {
    counting.close();
    core.close();
  }
}
