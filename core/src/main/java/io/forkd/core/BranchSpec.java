package io.forkd.core;

import io.forkd.base.ForkdException;
import io.forkd.base.Tag;
import java.time.Duration;
import java.util.Optional;

/**
 * A request to make a snapshot of a running sandbox.
 *
 * @param tag the snapshot's; empty means one is made up
 * @param mode empty means the best the host can do
 * @param awaitDisk whether to wait until the snapshot is on disk, or only until the sandbox runs
 *     again
 * @param ttl after which the snapshot is collected, once nothing depends on it
 * @param keepLast how many branches of this sandbox to keep; older ones nothing depends on go
 * @param owner whose the snapshot is; empty means everybody's
 */
public record BranchSpec(
    Optional<Tag> tag,
    Optional<BranchMode> mode,
    boolean awaitDisk,
    Optional<Duration> ttl,
    Optional<Integer> keepLast,
    Optional<String> owner) {
  public static final int MOST_KEPT = 10_000;

  public BranchSpec(
      Optional<Tag> tag,
      Optional<BranchMode> mode,
      boolean awaitDisk,
      Optional<Duration> ttl,
      Optional<Integer> keepLast) {
    this(tag, mode, awaitDisk, ttl, keepLast, Optional.empty());
  }

  public BranchSpec {
    keepLast.ifPresent(
        count -> {
          if (count < 1 || count > MOST_KEPT) {
            throw ForkdException.badRequest("keep_last is %d: use 1 to %d.", count, MOST_KEPT);
          }
        });
  }

  /** The same, answered when the sandbox runs again. */
  BranchSpec withoutWaiting() {
    return new BranchSpec(tag, mode, false, ttl, keepLast, owner);
  }

  public BranchSpec withOwner(Optional<String> whose) {
    return new BranchSpec(tag, mode, awaitDisk, ttl, keepLast, whose);
  }

  /** The usual: best mode, wait for the disk, keep everything. */
  public static BranchSpec of(Tag tag) {
    return new BranchSpec(
        Optional.of(tag), Optional.empty(), true, Optional.empty(), Optional.empty());
  }
}
