package io.forkd.bench;

import java.time.Duration;

/** The time between measurements, so that the end of one is not in the other's measure. */
final class Settling {
  static final Duration PAUSE = Duration.ofSeconds(1);

  private Settling() {}

  static void pause() {
    pause(PAUSE);
  }

  static void pause(Duration time) {
    try {
      Thread.sleep(time);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    }
  }
}
