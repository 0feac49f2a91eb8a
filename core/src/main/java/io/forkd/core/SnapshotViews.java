package io.forkd.core;

import io.forkd.base.ForkdException;
import io.forkd.store.DamagedSnapshot;
import io.forkd.store.Manifest;
import io.forkd.store.Pending;
import io.forkd.store.StoredSnapshot;
import io.forkd.vmm.VmmInfo;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * Shows stored snapshots as this host sees them: with whether, and why not, they can be forked
 * here.
 */
final class SnapshotViews {
  private final Manifest.Vmm here;
  private final Path folder;

  /**
   * Prepares to show.
   *
   * @param folder where snapshots are
   */
  SnapshotViews(Manifest.Vmm here, Path folder) {
    this.here = here;
    this.folder = folder;
  }

  /**
   * One on disk.
   *
   * @param depth how many ancestors it is built on
   * @param broken why no host could restore it, if that is so
   */
  Snapshot of(StoredSnapshot stored, int depth, Optional<String> broken) {
    Manifest manifest = stored.manifest();
    Optional<String> obstacle = broken.or(() -> obstacle(stored));
    return new Snapshot(
        manifest.tag(),
        stored.dir(),
        Instant.ofEpochSecond(manifest.createdAtUnix()),
        Snapshot.Status.READY,
        obstacle.isEmpty(),
        obstacle.or(manifest::warning),
        manifest.source(),
        manifest.vmm().arch(),
        manifest.vmm().name() + " " + manifest.vmm().version(),
        VmmInfo.shortMachine(manifest.vmm().machine()),
        manifest.guest().memoryMib(),
        manifest.guest().vcpus(),
        manifest.memory().logicalBytes(),
        manifest.memory().physicalBytes(),
        manifest.deviceState().bytes(),
        manifest.contentHash(),
        manifest.runtimes(),
        manifest.parent().map(parent -> new Snapshot.Parent(parent.tag(), parent.contentHash())),
        depth,
        manifest.branch().map(SnapshotViews::branch),
        manifest.expiresAtUnix().map(Instant::ofEpochSecond),
        manifest.owner());
  }

  /**
   * One that is announced: it can be forked from memory while it is written, never after that.
   *
   * @param depth how many ancestors it is built on
   */
  Snapshot of(Pending pending, int depth) {
    boolean writing = pending.state() == Pending.State.WRITING;
    long bytes = (pending.memoryMib() * 1L) << 20;
    return new Snapshot(
        pending.tag(),
        folder.resolve(pending.tag().value()),
        Instant.ofEpochSecond(pending.createdAtUnix()),
        writing ? Snapshot.Status.WRITING : Snapshot.Status.FAILED,
        writing,
        pending.reason(),
        "",
        here.arch(),
        here.name() + " " + here.version(),
        VmmInfo.shortMachine(here.machine()),
        pending.memoryMib(),
        0,
        bytes,
        pending.branch().map(Manifest.Branch::deltaBytes).orElse(0L),
        0,
        "",
        List.of(),
        pending.parent().map(parent -> new Snapshot.Parent(parent, "")),
        depth,
        pending.branch().map(SnapshotViews::branch),
        pending.expiresAtUnix().map(Instant::ofEpochSecond),
        pending.owner());
  }

  Snapshot of(DamagedSnapshot damaged) {
    return new Snapshot(
        damaged.tag(),
        damaged.dir(),
        Instant.EPOCH,
        Snapshot.Status.FAILED,
        false,
        Optional.of(damaged.reason()),
        "",
        "",
        "",
        "",
        0,
        0,
        0,
        0,
        0,
        "",
        List.of(),
        Optional.empty(),
        0,
        Optional.empty(),
        Optional.empty(),
        Optional.empty());
  }

  private static Snapshot.Branch branch(Manifest.Branch branch) {
    return new Snapshot.Branch(
        branch.sandbox(),
        BranchMode.valueOf(branch.mode().toUpperCase(Locale.ROOT)),
        branch.pauseMs(),
        branch.captureMs(),
        branch.deltaBytes());
  }

  void requireRestorable(StoredSnapshot stored) {
    stored.checkRestorableOn(here);
  }

  private Optional<String> obstacle(StoredSnapshot stored) {
    try {
      requireRestorable(stored);
      return Optional.empty();
    } catch (ForkdException e) {
      return Optional.ofNullable(e.getMessage());
    }
  }
}
