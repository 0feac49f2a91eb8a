package io.forkd.core;

import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/**
 * Work somebody waits for. It is admitted a few pieces at a time, because more than the CPUs can
 * carry makes every piece late, and background work looks here before it starts.
 */
final class Foreground {
  private static final Duration QUIET = Duration.ofMillis(500);

  private final Semaphore permits;
  private final AtomicInteger requests = new AtomicInteger();
  private volatile long lastEnd = System.nanoTime() - QUIET.toNanos();

  Foreground(int atOnce) {
    permits = new Semaphore(atOnce, true);
  }

  /** Runs a whole request; the pieces inside it ask for {@link #piece}. */
  <T> T request(Supplier<T> work) {
    requests.incrementAndGet();
    try {
      return work.get();
    } finally {
      lastEnd = System.nanoTime();
      requests.decrementAndGet();
    }
  }

  <T> T piece(Supplier<T> work) {
    permits.acquireUninterruptibly();
    try {
      return work.get();
    } finally {
      permits.release();
    }
  }

  /**
   * Waits for a quiet moment, but not forever: under steady load background work must go on too.
   */
  void awaitQuiet(Duration atMost) throws InterruptedException {
    long deadline = System.nanoTime() + atMost.toNanos();
    while (System.nanoTime() < deadline
        && (requests.get() > 0 || System.nanoTime() - lastEnd < QUIET.toNanos())) {
      Thread.sleep(50);
    }
  }
}
