package io.forkd.bench;

import java.util.Collection;
import java.util.List;
import java.util.Optional;

/** Measured values of one kind, in the order they were taken. */
record Samples(List<Double> values) {
  static final Samples NONE = new Samples(List.of());

  Samples {
    values = List.copyOf(values);
  }

  static Samples of(Collection<Double> values) {
    return new Samples(List.copyOf(values));
  }

  boolean isEmpty() {
    return values.isEmpty();
  }

  int count() {
    return values.size();
  }

  /**
   * The smallest value that at least this share of all values does not exceed (nearest rank, never
   * interpolated): a value that was really measured.
   *
   * @param percent above 0, at most 100
   */
  Optional<Double> percentile(double percent) {
    if (percent <= 0 || percent > 100) {
      throw new IllegalArgumentException("%s is no percentile".formatted(percent));
    }
    if (isEmpty()) {
      return Optional.empty();
    }
    int rank = (int) Math.ceil(percent / 100 * count());
    return Optional.of(values.stream().sorted().toList().get(Math.max(rank, 1) - 1));
  }

  Optional<Double> p50() {
    return percentile(50);
  }

  Optional<Double> p99() {
    return percentile(99);
  }

  Optional<Double> mean() {
    return isEmpty()
        ? Optional.empty()
        : Optional.of(values.stream().mapToDouble(Double::doubleValue).sum() / count());
  }

  Optional<Double> min() {
    return values.stream().min(Double::compare);
  }

  Optional<Double> max() {
    return percentile(100);
  }
}
