package io.forkd.core;

import io.forkd.base.SandboxId;
import io.forkd.base.Tag;
import java.util.List;

/**
 * A snapshot and its family.
 *
 * @param ancestors root first
 * @param dependents the snapshots whose parent it is
 * @param sandboxes its running children
 */
public record SnapshotDetail(
    Snapshot snapshot, List<Tag> ancestors, List<Tag> dependents, List<SandboxId> sandboxes) {
  public SnapshotDetail {
    ancestors = List.copyOf(ancestors);
    dependents = List.copyOf(dependents);
    sandboxes = List.copyOf(sandboxes);
  }
}
