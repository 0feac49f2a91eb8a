package io.forkd.core.net;

import java.util.concurrent.Callable;

/** Waits for what others do in their own time. */
final class Eventually {
  private static final long MOST_NANOS = 60_000_000_000L;

  private Eventually() {}

  static void holds(Callable<Boolean> condition) throws Exception {
    long deadline = System.nanoTime() + MOST_NANOS;
    while (!condition.call()) {
      if (System.nanoTime() > deadline) {
        throw new AssertionError("it did not come true in a minute");
      }
      Thread.sleep(10);
    }
  }
}
