package io.forkd.bench;

import java.util.List;
import java.util.Optional;

/**
 * All that one {@code bench spawn} found out.
 *
 * @param firstForkMs the first fork and answer of all, when nothing was warm anywhere
 * @param restored children at the moment they were restored; empty when the daemon does not tell
 * @param poolFillMs how long the pool took to fill
 * @param parkedKib memory of its own of every parked child
 */
record SpawnReport(
    Machine machine,
    SpawnOptions options,
    double firstForkMs,
    Optional<Restored> restored,
    Optional<Double> poolFillMs,
    Samples parkedKib,
    List<Result> results) {
  static final String REFERENCE = "crun";

  SpawnReport {
    results = List.copyOf(results);
  }

  /** How much of the reference's time a contender needs for n workloads; empty without either. */
  Optional<Double> ratio(Result result) {
    return results.stream()
        .filter(it -> it.name().equals(REFERENCE) && it.measured())
        .filter(_ -> result.measured())
        .map(reference -> result.totalMs(options.n()) / reference.totalMs(options.n()))
        .findFirst();
  }
}
