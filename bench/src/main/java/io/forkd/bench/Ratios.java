package io.forkd.bench;

import java.util.Map;
import java.util.Optional;

/** How one number goes with another. */
final class Ratios {
  private Ratios() {}

  /** How often b goes into a; nothing goes into zero. */
  static Optional<Double> of(double a, double b) {
    return b > 0 ? Optional.of(a / b) : Optional.empty();
  }

  static Optional<Double> of(Optional<Double> a, Optional<Double> b) {
    return a.flatMap(some -> b.flatMap(other -> of(some, other)));
  }

  /**
   * By how much y grows when x grows by one, after the straight line with the least squares.
   *
   * @return empty when all x are the same
   */
  static Optional<Double> slope(Map<Integer, Double> yOfX) {
    double meanX = yOfX.keySet().stream().mapToInt(it -> it).average().orElse(0);
    double meanY = yOfX.values().stream().mapToDouble(it -> it).average().orElse(0);
    double both = 0;
    double squares = 0;
    for (Map.Entry<Integer, Double> point : yOfX.entrySet()) {
      both += (point.getKey() - meanX) * (point.getValue() - meanY);
      squares += Math.pow(point.getKey() - meanX, 2);
    }
    return squares > 0 ? Optional.of(both / squares) : Optional.empty();
  }
}
