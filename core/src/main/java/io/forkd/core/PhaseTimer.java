package io.forkd.core;

import java.util.LinkedHashMap;
import java.util.Map;

/** Times the phases of one piece of work that follow each other. */
final class PhaseTimer {
  private final long begin = System.nanoTime();
  private final Map<String, Double> phases = new LinkedHashMap<>();
  private long last = begin;

  /** Ends a phase; the next one begins. */
  void done(String phase) {
    long now = System.nanoTime();
    phases.merge(phase, millis(now - last), Double::sum);
    last = now;
  }

  /** All phases so far, and their {@code total}. */
  Map<String, Double> millis() {
    Map<String, Double> result = new LinkedHashMap<>(phases);
    result.put("total", millis(last - begin));
    return result;
  }

  private static double millis(long nanos) {
    return Math.round(nanos / 10_000.0) / 100.0;
  }
}
