package io.forkd.guest;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** The moment a wait is over, by the clock that nobody sets. */
record Deadline(long atNanos) {
  /** Longer waits are no waits, and their arithmetic would overflow. */
  private static final long LONGEST = TimeUnit.DAYS.toNanos(365);

  static Deadline in(Duration duration) {
    long nanos = TimeUnit.NANOSECONDS.convert(duration);
    return new Deadline(System.nanoTime() + Math.clamp(nanos, 0, LONGEST));
  }

  /** Nanoseconds left; zero or less when it has passed. */
  long nanosLeft() {
    return atNanos - System.nanoTime();
  }

  boolean passed() {
    return nanosLeft() <= 0;
  }
}
