package io.forkd.core;

import io.forkd.base.SandboxId;
import io.forkd.base.Tag;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;

/**
 * A sandbox with a name that outlives its processes, the daemon and the host.
 *
 * @param id not the same when a workspace of the same name is made again
 * @param stateTag the snapshot that holds what it was when it was suspended
 */
public record Workspace(
    String id,
    WorkspaceName name,
    Tag sourceTag,
    Optional<Tag> stateTag,
    Status status,
    Optional<SandboxId> sandbox,
    Instant createdAt,
    Instant lastActive,
    Map<String, String> labels,
    Optional<String> owner) {
  /** What a workspace is at the moment. */
  public enum Status {
    RUNNING,
    SUSPENDED,
    /** Its sandbox ended before it was suspended; resuming starts from its last state. */
    STALE
  }

  public Workspace {
    labels = Map.copyOf(labels);
  }
}
