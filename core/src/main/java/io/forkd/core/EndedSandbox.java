package io.forkd.core;

import io.forkd.base.SandboxId;
import io.forkd.base.Tag;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;

/** A sandbox that is no more. */
public record EndedSandbox(
    SandboxId id,
    Tag snapshotTag,
    Instant createdAt,
    Instant endedAt,
    EndReason reason,
    Map<String, String> labels,
    Optional<String> owner) {
  public EndedSandbox {
    labels = Map.copyOf(labels);
  }
}
