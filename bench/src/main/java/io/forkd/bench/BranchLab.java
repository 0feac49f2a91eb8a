package io.forkd.bench;

import io.forkd.client.ForkdClient;

/**
 * What every part of {@code bench branch} works with.
 *
 * @param settle waits until the end of one thing is no longer in another's measure
 */
record BranchLab(
    ForkdClient client, BranchOptions options, Branches branches, Undo undo, Runnable settle) {
  /** A child of the snapshot. */
  Children source() {
    return Children.fork(client, options.tag(), 1, undo);
  }
}
