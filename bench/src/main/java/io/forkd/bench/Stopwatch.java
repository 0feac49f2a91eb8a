package io.forkd.bench;

/** Wall time since its making. */
final class Stopwatch {
  private final long begin = System.nanoTime();

  double millis() {
    return rounded((System.nanoTime() - begin) / 1e6);
  }

  /** To a hundredth: nothing here is known better. */
  static double rounded(double millis) {
    return Math.round(millis * 100) / 100.0;
  }
}
