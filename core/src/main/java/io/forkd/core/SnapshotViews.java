package io.forkd.core;

import io.forkd.base.ForkdException;
import io.forkd.store.DamagedSnapshot;
import io.forkd.store.Manifest;
import io.forkd.store.StoredSnapshot;
import io.forkd.vmm.VmmInfo;
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

  SnapshotViews(Manifest.Vmm here) {
    this.here = here;
  }

  /**
   * A snapshot on disk.
   *
   * @param depth how many ancestors it is built on
   */
  Snapshot of(StoredSnapshot stored, int depth) {
    Manifest manifest = stored.manifest();
    Optional<String> obstacle = obstacle(stored);
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
        manifest.expiresAtUnix().map(Instant::ofEpochSecond));
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
      stored.checkFiles();
      requireRestorable(stored);
      return Optional.empty();
    } catch (ForkdException e) {
      return Optional.ofNullable(e.getMessage());
    }
  }
}
