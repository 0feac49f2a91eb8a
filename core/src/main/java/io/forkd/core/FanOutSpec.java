package io.forkd.core;

import java.time.Duration;
import java.util.Optional;

/**
 * A request to branch a sandbox and fork children of the branch at once. The children do not wait
 * for the branch to be on disk.
 *
 * @param child what each of them is given
 */
public record FanOutSpec(BranchSpec branch, int n, ChildSpec child) {
  public FanOutSpec(
      BranchSpec branch, int n, Optional<Integer> memoryLimitMib, Optional<Duration> ttl) {
    this(branch, n, ChildSpec.of(memoryLimitMib, ttl));
  }

  public FanOutSpec {
    // Before the branch is taken, not when its children are to be made.
    ForkSpec.requireSane(n);
  }
}
