package io.forkd.core;

import io.forkd.base.SandboxId;
import java.time.Duration;
import java.util.Optional;

/**
 * What a sandbox uses of the host now; all zero while it is paused.
 *
 * @param cpu processor time since it was made
 * @param privateBytes memory nobody shares with it
 * @param sharedBytes memory of its snapshot that it has mapped
 * @param oomKills how often the kernel killed in it at its memory limit, where that is counted
 */
public record SandboxUse(
    SandboxId id,
    SandboxState state,
    Duration cpu,
    long privateBytes,
    long sharedBytes,
    int threads,
    Optional<Long> oomKills) {
  /** Of a sandbox that is paused. */
  static SandboxUse none(SandboxId id) {
    return new SandboxUse(id, SandboxState.PAUSED, Duration.ZERO, 0, 0, 0, Optional.empty());
  }
}
