package io.forkd.bench;

import java.util.List;
import java.util.Optional;

/**
 * Branches of one sandbox, one after the other.
 *
 * @param mode the one the daemon chose
 * @param pauseMs in the order they were taken
 */
record Consecutive(String mode, int dirtyMib, Samples pauseMs) {
  private static final int SOME = 5;

  /** The last pause by the first. */
  Optional<Double> lastToFirst() {
    List<Double> all = pauseMs.values();
    return all.isEmpty() ? Optional.empty() : Ratios.of(all.getLast(), all.getFirst());
  }

  /** The same with the medians of a few at either end, which one late wake-up cannot spoil. */
  Optional<Double> endToBeginning() {
    return Ratios.of(end().p50(), beginning().p50());
  }

  Samples beginning() {
    List<Double> all = pauseMs.values();
    return Samples.of(all.subList(0, Math.min(SOME, all.size())));
  }

  Samples end() {
    List<Double> all = pauseMs.values();
    return Samples.of(all.subList(Math.max(0, all.size() - SOME), all.size()));
  }
}
