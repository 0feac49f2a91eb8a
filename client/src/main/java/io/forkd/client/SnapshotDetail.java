package io.forkd.client;

import java.util.List;
import java.util.Optional;

/**
 * A snapshot and its family.
 *
 * @param parentContentHash what the parent's content was when this snapshot was made
 * @param ancestors root first
 * @param dependents the snapshots whose parent it is
 * @param sandboxes the ids of its running children
 * @param json all the daemon said, fields unknown here included
 */
public record SnapshotDetail(
    SnapshotInfo snapshot,
    long vmstateBytes,
    Optional<String> parentContentHash,
    List<String> ancestors,
    List<String> dependents,
    List<String> sandboxes,
    JsonObject json) {
  public SnapshotDetail {
    ancestors = List.copyOf(ancestors);
    dependents = List.copyOf(dependents);
    sandboxes = List.copyOf(sandboxes);
  }

  static SnapshotDetail from(JsonObject json) {
    return new SnapshotDetail(
        SnapshotInfo.from(json),
        json.number("vmstate_bytes"),
        json.optionalText("parent_content_hash"),
        json.texts("ancestors"),
        json.texts("dependents"),
        json.texts("sandboxes"),
        json);
  }
}
