package io.forkd.client;

import java.net.SocketTimeoutException;
import java.time.Duration;

/**
 * The moment by which something must have happened; a sliding one moves on with every sign of life.
 */
final class Deadline {
  private final Duration span;
  private final boolean sliding;
  private long at;

  Deadline(Duration span, boolean sliding) {
    this.span = span;
    this.sliding = sliding;
    this.at = System.nanoTime() + span.toNanos();
  }

  void signOfLife() {
    if (sliding) {
      at = System.nanoTime() + span.toNanos();
    }
  }

  boolean passed() {
    return System.nanoTime() - at >= 0;
  }

  /** Milliseconds left, at least 1. */
  long remainingMillis() throws SocketTimeoutException {
    long left = at - System.nanoTime();
    if (left <= 0) {
      throw new SocketTimeoutException("nothing for %.1f s".formatted(span.toMillis() / 1000.0));
    }
    return Math.max(1, left / 1_000_000);
  }
}
