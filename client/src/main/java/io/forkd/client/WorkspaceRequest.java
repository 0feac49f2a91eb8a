package io.forkd.client;

/**
 * A workspace to make and start.
 *
 * @param child what its sandbox is given
 */
public record WorkspaceRequest(String name, String snapshotTag, ChildRequest child) {
  JsonObject toJson() {
    return child.addTo(JsonObject.ofPairs("name", name, "snapshot_tag", snapshotTag));
  }
}
