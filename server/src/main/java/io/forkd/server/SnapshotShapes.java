package io.forkd.server;

import io.forkd.core.Collected;
import io.forkd.core.Snapshot;
import io.forkd.core.SnapshotDetail;
import io.forkd.server.http.Json;
import io.forkd.server.http.JsonObject;
import java.time.Instant;

/** The wire's shapes of snapshots. */
final class SnapshotShapes {
  private SnapshotShapes() {}

  static JsonObject snapshot(Snapshot snapshot) {
    JsonObject shape =
        Json.object()
            .with("tag", snapshot.tag())
            .with("dir", snapshot.dir())
            .with("created_at_unix", snapshot.createdAt().getEpochSecond())
            .with("status", Shapes.word(snapshot.status()))
            .with("bootable", snapshot.bootable())
            .withOptional("warning", snapshot.warning())
            .withOptional("expires_at_unix", snapshot.expiresAt().map(Instant::getEpochSecond))
            .withOptional("owner", snapshot.owner());
    snapshot.branch().ifPresent(branch -> addBranch(shape, snapshot, branch));
    return shape
        .withOptional("parent_tag", snapshot.parent().map(Snapshot.Parent::tag))
        .with("chain_depth", snapshot.chainDepth())
        .with("memory_mib", snapshot.memoryMib())
        .with("memory_logical_bytes", snapshot.memoryLogicalBytes())
        .with("memory_physical_bytes", snapshot.memoryPhysicalBytes())
        .with("vcpus", snapshot.vcpus())
        .with("source", snapshot.source())
        .with("arch", snapshot.arch())
        .with("vmm", snapshot.vmm())
        .with("machine", snapshot.machine())
        .with("content_hash", snapshot.contentHash())
        .with("runtimes", snapshot.runtimes());
  }

  private static void addBranch(JsonObject shape, Snapshot snapshot, Snapshot.Branch branch) {
    shape
        .with("branched_from", branch.sandbox())
        .with("mode", Shapes.word(branch.mode()))
        .with("pause_ms", branch.pauseMs())
        .with("diff_ms", branch.captureMs())
        .with("diff_logical_bytes", branch.deltaBytes())
        .with("diff_physical_bytes", deltaOnDisk(snapshot, branch));
  }

  /** Until the delta is a file, and when it was flattened into one, its pages are what is known. */
  private static long deltaOnDisk(Snapshot snapshot, Snapshot.Branch branch) {
    boolean isFile = snapshot.status() == Snapshot.Status.READY && snapshot.parent().isPresent();
    return isFile ? snapshot.memoryPhysicalBytes() : branch.deltaBytes();
  }

  static JsonObject detail(SnapshotDetail detail) {
    Snapshot snapshot = detail.snapshot();
    return snapshot(snapshot)
        .with("vmstate_bytes", snapshot.vmstateBytes())
        .withOptional("parent_content_hash", snapshot.parent().map(Snapshot.Parent::contentHash))
        .with("ancestors", detail.ancestors())
        .with("dependents", detail.dependents())
        .with("sandboxes", detail.sandboxes());
  }

  static JsonObject collected(Collected collected) {
    return Json.object()
        .with("dry_run", collected.dryRun())
        .with("freed_bytes", collected.freedBytes())
        .with("collected", collected.items().stream().map(SnapshotShapes::item).toList());
  }

  private static JsonObject item(Collected.Item item) {
    return Json.object()
        .with("tag", item.tag())
        .with("reason", item.reason())
        .with("bytes", item.bytes());
  }
}
