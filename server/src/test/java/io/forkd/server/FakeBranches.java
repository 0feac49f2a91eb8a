package io.forkd.server;

import io.forkd.base.ErrorCode;
import io.forkd.base.ForkdException;
import io.forkd.base.SandboxId;
import io.forkd.base.Tag;
import io.forkd.core.BranchMode;
import io.forkd.core.BranchSpec;
import io.forkd.core.BranchWay;
import io.forkd.core.Branching;
import io.forkd.core.FanOutSpec;
import io.forkd.core.Sandbox;
import io.forkd.core.Snapshot;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;

/**
 * Takes the branches of a core in memory: at most four at once, each first captured, then written
 * to disk behind the sandbox's back. The disk has no room for tags that begin with {@code
 * too-large}.
 */
final class FakeBranches {
  static final int CAP = 4;
  static final long DELTA_BYTES = 8_192;
  static final long DELTA_FILE_BYTES = 5_000;

  final List<BranchSpec> specs = new CopyOnWriteArrayList<>();
  final List<FanOutSpec> fanOutSpecs = new CopyOnWriteArrayList<>();

  /** Branches are captured when this opens. */
  volatile CountDownLatch captureGate = new CountDownLatch(0);

  /** Branches are on disk when this opens. */
  volatile CountDownLatch diskGate = new CountDownLatch(0);

  private final FakeForkd forkd;
  private final Set<Tag> inFlight = new HashSet<>();

  FakeBranches(FakeForkd forkd) {
    this.forkd = forkd;
  }

  synchronized Branching branching() {
    return new Branching(BranchWay.USERFAULTFD, "a fake can do anything", inFlight.size(), CAP);
  }

  Snapshot branch(SandboxId id, BranchSpec spec) {
    specs.add(spec);
    Tag tag = spec.tag().orElseGet(() -> Tag.of("branch-%s-1700000000-00ff".formatted(id)));
    FakeGuest.misbehave(tag.value());
    claim(tag);
    Thread writer;
    try {
      FakeGuest.await(captureGate);
      Snapshot captured = captured(forkd.sandbox(id), tag, spec);
      writer = Thread.ofVirtual().start(() -> write(captured));
    } finally {
      release(tag);
    }
    if (!spec.awaitDisk()) {
      return forkd.snapshot(tag);
    }
    join(writer);
    return onDisk(forkd.snapshot(tag));
  }

  private synchronized void claim(Tag tag) {
    if (forkd.snapshots.containsKey(tag)) {
      throw ForkdException.conflict("A snapshot %s exists already: use another tag.", tag);
    }
    if (inFlight.contains(tag)) {
      throw ForkdException.conflict("A branch %s is in flight: use another tag.", tag);
    }
    if (inFlight.size() == CAP) {
      throw new ForkdException(
          ErrorCode.FULL, "%d branches are in flight: try again.".formatted(CAP));
    }
    inFlight.add(tag);
  }

  private synchronized void release(Tag tag) {
    inFlight.remove(tag);
  }

  private Snapshot captured(Sandbox source, Tag tag, BranchSpec spec) {
    BranchMode mode = spec.mode().orElse(source.branchWay().mode());
    SnapshotDraft draft =
        new SnapshotDraft(tag.value())
            .status(Snapshot.Status.WRITING)
            .contentHash("sha256:" + tag)
            .physicalBytes(0)
            .owner(spec.owner())
            .branch(new Snapshot.Branch(source.id(), mode, 7.25, 40.5, DELTA_BYTES))
            .expiresAt(spec.ttl().map(FakeForkd.CREATED::plus));
    if (mode != BranchMode.FULL) {
      draft.childOf(forkd.snapshot(source.snapshotTag()));
    }
    Snapshot snapshot = draft.done();
    forkd.files.copy(source.id(), tag);
    forkd.snapshots.put(tag, snapshot);
    forkd.family.noteBranch(source, tag, spec.keepLast());
    return snapshot;
  }

  private void write(Snapshot captured) {
    FakeGuest.await(diskGate);
    SnapshotDraft draft = SnapshotDraft.like(captured);
    if (captured.tag().value().startsWith("too-large")) {
      draft.failed("The disk is full: free some space and branch again.");
    } else {
      draft
          .status(Snapshot.Status.READY)
          .physicalBytes(captured.parent().isPresent() ? DELTA_FILE_BYTES : 90_000_000L);
    }
    forkd.snapshots.replace(captured.tag(), draft.done());
  }

  private static Snapshot onDisk(Snapshot snapshot) {
    if (snapshot.status() == Snapshot.Status.FAILED) {
      throw new ForkdException(ErrorCode.HOST_FAILED, snapshot.warning().orElseThrow());
    }
    return snapshot;
  }

  private static void join(Thread thread) {
    try {
      thread.join();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
