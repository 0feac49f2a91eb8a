package io.forkd.client;

import java.time.Instant;
import java.util.Map;
import java.util.Optional;

/**
 * A sandbox with a name that outlives its processes, the daemon and the host.
 *
 * @param stateTag the snapshot that holds what it was when it was suspended
 * @param status {@code running}, {@code suspended} or {@code stale}
 * @param sandboxId its sandbox, while it runs
 * @param json all the daemon said, fields unknown here included
 */
public record WorkspaceInfo(
    String id,
    String name,
    String sourceTag,
    Optional<String> stateTag,
    String status,
    Optional<String> sandboxId,
    Instant createdAt,
    Instant lastActive,
    Map<String, String> labels,
    JsonObject json) {
  static WorkspaceInfo from(JsonObject json) {
    return new WorkspaceInfo(
        json.text("id"),
        json.text("name"),
        json.text("source_snapshot_tag"),
        json.optionalText("current_state_tag"),
        json.text("status"),
        json.optionalText("live_sandbox_id"),
        Instant.ofEpochSecond(json.number("created_at_unix")),
        Instant.ofEpochSecond(json.number("last_active_unix")),
        json.pairs("labels"),
        json);
  }
}
