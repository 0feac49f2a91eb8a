package io.forkd.server;

import io.forkd.base.ForkdException;
import io.forkd.base.Progress;
import io.forkd.base.SandboxId;
import io.forkd.base.Tag;
import io.forkd.core.BranchSpec;
import io.forkd.core.BranchWay;
import io.forkd.core.Branching;
import io.forkd.core.Capacity;
import io.forkd.core.Collected;
import io.forkd.core.Difference;
import io.forkd.core.EndReason;
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
import io.forkd.core.SandboxState;
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
import io.forkd.guest.ForkProof;
import io.forkd.guest.GuestSocket;
import io.forkd.guest.Inside;
import io.forkd.guest.Pong;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A core in memory. Certain inputs make it misbehave on purpose: tags that begin with {@code boom},
 * code that begins with a word known to {@link FakeGuest}, and the hooks below.
 */
final class FakeForkd implements Forkd {
  static final Instant CREATED = Instant.ofEpochSecond(1_700_000_000);

  final Map<Tag, Snapshot> snapshots = new ConcurrentHashMap<>();
  final Map<SandboxId, Sandbox> sandboxes = new ConcurrentHashMap<>();
  final Map<Tag, PoolStatus> pools = new ConcurrentHashMap<>();
  final List<SnapshotSpec> snapshotSpecs = new ArrayList<>();
  final List<ForkSpec> forkSpecs = new ArrayList<>();
  final CountDownLatch closed = new CountDownLatch(1);
  final FakeGuest guest = new FakeGuest();
  final FakePorts ports = new FakePorts();
  final HostGuests guests = new HostGuests();
  final FakeFiles files = new FakeFiles();
  final FakeBranches branches = new FakeBranches(this);
  final FakeFamily family = new FakeFamily(this);
  final FakeLifecycle lifecycle = new FakeLifecycle(this);
  private final FakeWorkspaces workspaces = new FakeWorkspaces(this);
  private final AtomicInteger forks = new AtomicInteger();

  /** A snapshot whose tag begins with {@code wait} is finished when this opens. */
  final CountDownLatch snapshotGate = new CountDownLatch(1);

  /** How many of the next children fail. */
  final AtomicInteger failures = new AtomicInteger();

  volatile String failureText = "QEMU died";

  final Events events = new Events();
  volatile Capacity capacity =
      new Capacity(
          List.of(new Capacity.Budget("sandboxes", 3, 10), new Capacity.Budget("disk_mib", 7, 0)));
  volatile Readiness readiness =
      new Readiness(List.of(new Readiness.Check("data", true, "can be written")));

  @Override
  public String vmm() {
    return "qemu 7.2.22 virt/tcg (a fake)";
  }

  @Override
  public Snapshot createSnapshot(SnapshotSpec spec, Progress progress) {
    synchronized (snapshotSpecs) {
      snapshotSpecs.add(spec);
    }
    if (snapshots.containsKey(spec.tag())) {
      throw ForkdException.conflict("A snapshot %s exists already.", spec.tag());
    }
    FakeGuest.misbehave(spec.tag().value());
    progress.begin("rootfs", "Making the root filesystem");
    if (spec.tag().value().startsWith("wait")) {
      FakeGuest.await(snapshotGate);
    }
    if (spec.tag().value().equals("slow")) {
      // Long enough for a SIGTERM to arrive meanwhile.
      pause(1_000);
    }
    progress.begin("boot", "Booting the parent");
    Snapshot snapshot = new SnapshotDraft(spec.tag().value()).owner(spec.owner()).done();
    snapshots.put(spec.tag(), snapshot);
    return snapshot;
  }

  @Override
  public List<Snapshot> snapshots() {
    return List.copyOf(snapshots.values());
  }

  @Override
  public Snapshot snapshot(Tag tag) {
    FakeGuest.misbehave(tag.value());
    return Optional.ofNullable(snapshots.get(tag))
        .orElseThrow(() -> ForkdException.notFound("There is no snapshot %s.", tag));
  }

  @Override
  public SnapshotDetail snapshotDetail(Tag tag) {
    return family.detail(snapshot(tag));
  }

  @Override
  public List<Tag> removeSnapshot(Tag tag, RemoveMode mode) {
    return family.remove(snapshot(tag).tag(), mode);
  }

  @Override
  public Snapshot compact(Tag from, Tag to) {
    return family.compact(snapshot(from), to);
  }

  @Override
  public Collected collect(boolean dryRun) {
    return family.collect(dryRun);
  }

  @Override
  public Branching branching() {
    return branches.branching();
  }

  @Override
  public Snapshot branch(SandboxId id, BranchSpec spec) {
    return branches.branch(sandbox(id).id(), spec);
  }

  @Override
  public FanOut fanOut(SandboxId id, FanOutSpec spec) {
    branches.fanOutSpecs.add(spec);
    Snapshot snapshot = branch(id, spec.branch());
    ForkSpec children = new ForkSpec(snapshot.tag(), spec.n(), false, spec.child());
    return new FanOut(snapshot, fork(children));
  }

  @Override
  public Sandbox rollback(SandboxId id, Tag tag) {
    return family.rollback(sandbox(id), snapshot(tag));
  }

  @Override
  public Difference compare(Subject a, Subject b, boolean text) {
    return files.compare(filesOf(a), filesOf(b), text);
  }

  private Map<String, String> filesOf(Subject subject) {
    return switch (subject) {
      case Subject.OfSnapshot(Tag tag) -> files.of(snapshot(tag).tag());
      case Subject.OfSandbox(SandboxId id) -> files.of(sandbox(id).id());
    };
  }

  @Override
  public ForkResult fork(ForkSpec spec) {
    synchronized (forkSpecs) {
      forkSpecs.add(spec);
    }
    snapshot(spec.tag());
    List<Sandbox> living = new ArrayList<>();
    List<ForkResult.Failure> failed = new ArrayList<>();
    for (int i = 0; i < spec.n(); i++) {
      if (failures.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
        failed.add(new ForkResult.Failure(i, failureText));
      } else {
        living.add(add(i, spec));
      }
    }
    return new ForkResult(living, failed);
  }

  private Sandbox add(int index, ForkSpec spec) {
    Sandbox sandbox =
        new Sandbox(
            SandboxId.of("%010x".formatted(forks.getAndIncrement()), index),
            spec.tag(),
            CREATED,
            4242,
            false,
            new ForkProof(
                "sb-1", "0".repeat(32), "boot-1", 3, 12_000, 64, true, "uuid-1", List.of("python")),
            Map.of("total", 12.5, "restore", 4.25),
            Optional.empty(),
            0,
            BranchWay.USERFAULTFD,
            spec.child().lifetime().ttl().map(CREATED::plus),
            SandboxState.RUNNING,
            spec.child(),
            spec.child()
                .egress()
                .map(egress -> new Sandbox.Network("forkd-1", "172.30.255.2", egress)));
    files.copy(spec.tag(), sandbox.id());
    sandboxes.put(sandbox.id(), sandbox);
    return sandbox;
  }

  @Override
  public List<Sandbox> sandboxes() {
    return List.copyOf(sandboxes.values());
  }

  @Override
  public Sandbox sandbox(SandboxId id) {
    return Optional.ofNullable(sandboxes.get(id))
        .orElseThrow(() -> ForkdException.notFound("There is no sandbox %s.", id));
  }

  @Override
  public void kill(SandboxId id) {
    lifecycle.end(sandbox(id), new EndReason(EndReason.Kind.KILLED, "it was killed by request"));
    guests.end(id);
  }

  @Override
  public Pong ping(SandboxId id) {
    lifecycle.running(id);
    return new Pong(1, Duration.ofMillis(7_250), Duration.ofNanos(1_500_000));
  }

  @Override
  public ExecResult exec(SandboxId id, List<String> args, Duration timeout) {
    lifecycle.running(id);
    return guest.exec(args, timeout);
  }

  @Override
  public EvalResult eval(SandboxId id, String code, Duration timeout) {
    lifecycle.running(id);
    return guest.eval(code, timeout);
  }

  private static void pause(long millis) {
    try {
      Thread.sleep(millis);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public PoolStatus setPool(Tag tag, int warm) {
    snapshot(tag);
    PoolStatus pool =
        new PoolStatus(
            tag, warm, 0, warm, warm == 13 ? Optional.of("no memory") : Optional.empty());
    if (warm == 0) {
      pools.remove(tag);
    } else {
      pools.put(tag, pool);
    }
    return pool;
  }

  @Override
  public List<PoolStatus> pools() {
    return List.copyOf(pools.values());
  }

  @Override
  public List<EndedSandbox> ended() {
    return lifecycle.ended();
  }

  @Override
  public Sandbox update(SandboxId id, SandboxChange change) {
    return lifecycle.update(sandbox(id), change);
  }

  @Override
  public Sandbox pause(SandboxId id) {
    return lifecycle.move(sandbox(id), SandboxState.PAUSED);
  }

  @Override
  public Sandbox resume(SandboxId id) {
    return lifecycle.move(sandbox(id), SandboxState.RUNNING);
  }

  @Override
  public List<SandboxUse> usage() {
    return sandboxes.values().stream()
        .map(
            sandbox ->
                new SandboxUse(
                    sandbox.id(),
                    sandbox.state(),
                    Duration.ofNanos(1_500_000),
                    4 << 20,
                    64 << 20,
                    3,
                    Optional.of(0L)))
        .toList();
  }

  @Override
  public Workspace createWorkspace(WorkspaceSpec spec) {
    return workspaces.create(spec);
  }

  @Override
  public List<Workspace> workspaces() {
    return workspaces.all();
  }

  @Override
  public Workspace workspace(WorkspaceName name) {
    return workspaces.get(name);
  }

  @Override
  public void deleteWorkspace(WorkspaceName name) {
    workspaces.delete(name);
  }

  @Override
  public Workspace suspendWorkspace(WorkspaceName name) {
    return workspaces.suspend(name);
  }

  @Override
  public Workspace resumeWorkspace(WorkspaceName name) {
    return workspaces.resume(name);
  }

  @Override
  public GuestSocket connect(SandboxId id, int port) {
    sandbox(id);
    return ports.connect(port);
  }

  @Override
  public Inside inside(SandboxId id) {
    lifecycle.running(id);
    return guests.agent(id);
  }

  @Override
  public Capacity capacity() {
    return capacity;
  }

  @Override
  public Readiness readiness() {
    return readiness;
  }

  @Override
  public Events events() {
    return events;
  }

  @Override
  public void close() {
    guests.close();
    closed.countDown();
  }
}
