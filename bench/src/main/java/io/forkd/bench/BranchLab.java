package io.forkd.bench;

import io.forkd.client.ForkdClient;
import java.time.Duration;
import java.util.function.Consumer;

/**
 * What every part of {@code bench branch} works with.
 *
 * @param settle lets time pass, so that the end of one thing is not in another's measure
 */
record BranchLab(
    ForkdClient client,
    BranchOptions options,
    Branches branches,
    Undo undo,
    Consumer<Duration> settle) {
  /** A child of the snapshot. */
  Children source() {
    return Children.fork(client, options.tag(), 1, undo);
  }
}
