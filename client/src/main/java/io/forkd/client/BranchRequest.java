package io.forkd.client;

import java.time.Duration;
import java.util.Optional;

/**
 * A snapshot to make of a running sandbox.
 *
 * @param tag the snapshot's; empty means the daemon makes one up
 * @param mode empty means the best the daemon's host can do
 * @param awaitDisk whether to wait until the snapshot is on disk, or only until the sandbox runs
 *     again
 * @param ttl after which the snapshot is collected, once nothing depends on it
 * @param keepLast how many branches of this sandbox to keep; older ones nothing depends on go
 */
public record BranchRequest(
    Optional<String> tag,
    Optional<BranchMode> mode,
    boolean awaitDisk,
    Optional<Duration> ttl,
    Optional<Integer> keepLast) {

  /** The usual: best mode, wait for the disk, keep everything. */
  public static BranchRequest ofTag(String tag) {
    return new BranchRequest(
        Optional.of(tag), Optional.empty(), true, Optional.empty(), Optional.empty());
  }

  /** The same branch taken in one mode and no other. */
  public BranchRequest withMode(BranchMode only) {
    return new BranchRequest(tag, Optional.of(only), awaitDisk, ttl, keepLast);
  }

  /** The same branch, answered as soon as the sandbox runs again. */
  public BranchRequest withoutWaiting() {
    return new BranchRequest(tag, mode, false, ttl, keepLast);
  }

  JsonObject toJson() {
    return JsonObject.ofPairs("wait", awaitDisk)
        .with("tag", tag)
        .with("mode", mode)
        .with("ttl_secs", ttl.map(Duration::toSeconds))
        .with("keep_last", keepLast);
  }
}
