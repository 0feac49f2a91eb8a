package io.forkd.server;

import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/** Leave that comes at a steady rate and can be saved up to a bound. */
final class TokenBucket {
  private static final double NANOS = TimeUnit.SECONDS.toNanos(1);

  private final int perSecond;
  private final int burst;
  private final LongSupplier nanoClock;
  private double saved;
  private long last;

  TokenBucket(int perSecond, int burst, LongSupplier nanoClock) {
    this.perSecond = perSecond;
    this.burst = burst;
    this.nanoClock = nanoClock;
    this.saved = burst;
    this.last = nanoClock.getAsLong();
  }

  int perSecond() {
    return perSecond;
  }

  /** Takes one; when there is none, how many nanoseconds until there is. */
  synchronized long take() {
    long now = nanoClock.getAsLong();
    saved = Math.min(burst, saved + (now - last) / NANOS * perSecond);
    last = now;
    if (saved >= 1) {
      saved--;
      return 0;
    }
    return Math.max(1, (long) ((1 - saved) / perSecond * NANOS));
  }
}
