package io.forkd.bench;

import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * Branches of one sandbox, one after the other, and the same with other sandboxes: what else
 * happens on the machine during one series is not in the others.
 *
 * @param mode the one the daemon chose
 * @param seriesMs the pauses of each sandbox in the order the branches were taken
 */
record Consecutive(String mode, int dirtyMib, List<Samples> seriesMs) {
  private static final int SOME = 5;

  Consecutive {
    seriesMs = List.copyOf(seriesMs);
  }

  /** The last pause by the first, the median of all series. */
  Optional<Double> lastToFirst() {
    return median(series -> Ratios.of(last(series, 1).p50(), first(series, 1).p50()));
  }

  /** The same with the medians of a few at either end, which one late wake-up cannot spoil. */
  Optional<Double> endToBeginning() {
    return median(series -> Ratios.of(last(series, SOME).p50(), first(series, SOME).p50()));
  }

  /** The first pause, the median of all series. */
  Optional<Double> firstMs() {
    return median(series -> first(series, 1).p50());
  }

  Optional<Double> lastMs() {
    return median(series -> last(series, 1).p50());
  }

  Optional<Double> firstFewMs() {
    return median(series -> first(series, SOME).p50());
  }

  Optional<Double> lastFewMs() {
    return median(series -> last(series, SOME).p50());
  }

  private Optional<Double> median(Function<Samples, Optional<Double>> number) {
    Stream<Double> numbers = seriesMs.stream().flatMap(it -> number.apply(it).stream());
    return Samples.of(numbers.toList()).p50();
  }

  private static Samples first(Samples series, int count) {
    return Samples.of(series.values().stream().limit(count).toList());
  }

  private static Samples last(Samples series, int count) {
    return Samples.of(series.values().reversed().stream().limit(count).toList());
  }
}
