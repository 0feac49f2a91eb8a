package io.forkd.bench;

import java.time.Duration;

/** The time between contenders, so that the end of one is not in the other's measure. */
final class Settling {
  private static final Duration PAUSE = Duration.ofSeconds(1);

  private Settling() {}

  static void pause() {
    try {
      Thread.sleep(PAUSE);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    }
  }
}
