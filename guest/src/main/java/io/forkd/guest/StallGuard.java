package io.forkd.guest;

import java.time.Duration;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Notices a write that does not end, because a socket write itself has no deadline.
 *
 * <p>A look is scheduled only when none is, so the usual write costs two volatile stores and an
 * idle connection nothing.
 */
final class StallGuard {
  static final Duration LIMIT = Duration.ofSeconds(10);
  private static final long IDLE = Long.MIN_VALUE;

  private static final ScheduledThreadPoolExecutor TIMER =
      new ScheduledThreadPoolExecutor(
          1, Thread.ofPlatform().daemon().name("agent write guard").factory());

  private final Runnable stalled;
  private final AtomicBoolean scheduled = new AtomicBoolean();
  private volatile long began = IDLE;

  StallGuard(Runnable stalled) {
    this.stalled = stalled;
  }

  void begin() {
    began = System.nanoTime();
    if (!scheduled.get() && scheduled.compareAndSet(false, true)) {
      var _ = TIMER.schedule(this::look, LIMIT.toMillis(), TimeUnit.MILLISECONDS);
    }
  }

  void end() {
    began = IDLE;
  }

  private void look() {
    scheduled.set(false);
    long start = began;
    if (start == IDLE) {
      return;
    }
    long left = LIMIT.toNanos() - (System.nanoTime() - start);
    if (left <= 0) {
      Thread.ofVirtual().start(stalled);
    } else if (scheduled.compareAndSet(false, true)) {
      var _ = TIMER.schedule(this::look, left, TimeUnit.NANOSECONDS);
    }
  }
}
