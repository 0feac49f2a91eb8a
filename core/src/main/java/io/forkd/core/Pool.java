package io.forkd.core;

import io.forkd.base.Tag;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;

/**
 * Parked children of one snapshot. Its methods only keep count: making and ending happens outside
 * its lock.
 */
final class Pool {
  private final Tag tag;
  private final Deque<LiveSandbox> parked = new ArrayDeque<>();
  private int warm;
  private int filling;
  private long retryAt = System.nanoTime();
  private Optional<String> lastError = Optional.empty();

  Pool(Tag tag) {
    this.tag = tag;
  }

  Tag tag() {
    return tag;
  }

  /** Sets how many to keep and takes out those that are too many. */
  synchronized List<LiveSandbox> resize(int newWarm) {
    warm = newWarm;
    retryAt = System.nanoTime();
    lastError = Optional.empty();
    List<LiveSandbox> surplus = new ArrayList<>();
    while (parked.size() > warm) {
      surplus.add(parked.removeLast());
    }
    return surplus;
  }

  synchronized Optional<LiveSandbox> take() {
    return Optional.ofNullable(parked.pollFirst());
  }

  /** Claims the making of one more, when one is missing and it is not too soon after a failure. */
  synchronized boolean claimFilling() {
    if (parked.size() + filling >= warm || System.nanoTime() - retryAt < 0) {
      return false;
    }
    filling++;
    return true;
  }

  /** Parks a child that was claimed. */
  synchronized boolean park(LiveSandbox child) {
    filling--;
    if (parked.size() >= warm) {
      return false;
    }
    lastError = Optional.empty();
    parked.addLast(child);
    return true;
  }

  synchronized void fillingFailed(String error, Duration pause) {
    filling--;
    retryAt = System.nanoTime() + pause.toNanos();
    lastError = Optional.of(error);
  }

  /** Forgets a parked child that died. */
  synchronized boolean remove(LiveSandbox child) {
    return parked.remove(child);
  }

  synchronized PoolStatus status() {
    return new PoolStatus(tag, warm, parked.size(), filling, lastError);
  }
}
