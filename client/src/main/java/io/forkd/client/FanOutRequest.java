package io.forkd.client;

import java.time.Duration;
import java.util.Optional;

/**
 * A branch to take of a running sandbox and children to fork from it at once.
 *
 * @param tag the branch's; empty means the daemon makes one up
 * @param mode empty means the best the daemon's host can do
 * @param child what each of the children is given
 * @param snapshotTtl after which the branch is collected, once nothing depends on it
 * @param keepLast how many branches of this sandbox to keep; older ones nothing depends on go
 */
public record FanOutRequest(
    int n,
    Optional<String> tag,
    Optional<BranchMode> mode,
    ChildRequest child,
    Optional<Duration> snapshotTtl,
    Optional<Integer> keepLast) {

  public FanOutRequest(
      int n,
      Optional<String> tag,
      Optional<BranchMode> mode,
      Optional<Integer> memoryLimitMib,
      Optional<Duration> ttl,
      Optional<Duration> snapshotTtl,
      Optional<Integer> keepLast) {
    this(n, tag, mode, ChildRequest.of(memoryLimitMib, ttl), snapshotTtl, keepLast);
  }

  /** The usual: n children of a branch with a made-up tag, taken in the best mode. */
  public static FanOutRequest of(int n) {
    return new FanOutRequest(
        n,
        Optional.empty(),
        Optional.empty(),
        ChildRequest.PLAIN,
        Optional.empty(),
        Optional.empty());
  }

  JsonObject toJson() {
    return child
        .addTo(JsonObject.ofPairs("n", n).with("tag", tag).with("mode", mode))
        .with("snapshot_ttl_secs", snapshotTtl.map(Duration::toSeconds))
        .with("keep_last", keepLast);
  }
}
