package io.forkd.bench;

import java.util.List;
import java.util.Optional;
import java.util.function.ToDoubleFunction;

/**
 * All that one {@code bench spawn} found out.
 *
 * @param firstForkMs the first fork and answer of this run, when this program was still cold
 * @param restored children at the moment they were restored; empty when the daemon does not tell
 * @param poolFillMs how long the pool took to fill
 * @param parked the children in the full pool, before anybody asked for one
 */
record SpawnReport(
    Machine machine,
    SpawnOptions options,
    double firstForkMs,
    Optional<Restored> restored,
    Optional<Double> poolFillMs,
    List<ProcessReading> parked,
    List<Result> results) {
  static final String REFERENCE = "crun";

  SpawnReport {
    parked = List.copyOf(parked);
    results = List.copyOf(results);
  }

  /** One number of every parked child. */
  Samples parked(ToDoubleFunction<ProcessReading> which) {
    return Samples.of(parked.stream().mapToDouble(which).map(Stopwatch::rounded).boxed().toList());
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
