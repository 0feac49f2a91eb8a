package io.forkd.core;

import io.forkd.base.ErrorCode;
import io.forkd.base.ForkdException;
import java.util.BitSet;

/** Numbers for places sandboxes can live in; each stands for a host user of its own. */
final class Slots {
  private final int most;
  private final BitSet taken = new BitSet();

  Slots(int most) {
    this.most = most;
  }

  synchronized int take() {
    int slot = taken.nextClearBit(0);
    if (slot >= most) {
      throw new ForkdException(
          ErrorCode.FULL,
          "all %d slots are taken: end some sandboxes with `forkd kill`, or shrink a pool."
              .formatted(most));
    }
    taken.set(slot);
    return slot;
  }

  /** Marks a slot an earlier daemon gave out; false when it cannot have. */
  synchronized boolean retake(int slot) {
    if (slot < 0 || slot >= most) {
      return false;
    }
    taken.set(slot);
    return true;
  }

  synchronized void giveBack(int slot) {
    taken.clear(slot);
  }
}
