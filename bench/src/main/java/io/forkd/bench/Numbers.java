package io.forkd.bench;

import java.util.Locale;
import java.util.Optional;

/** Numbers as people read them. */
final class Numbers {
  static final String NONE = "–";

  private Numbers() {}

  static String millis(double ms) {
    if (ms >= 100_000) {
      return format("%.0f s", ms / 1000);
    }
    if (ms >= 1000) {
      return format("%.2f s", ms / 1000);
    }
    return ms >= 100 ? format("%.0f ms", ms) : format("%.1f ms", ms);
  }

  static String millis(Optional<Double> ms) {
    return ms.map(Numbers::millis).orElse(NONE);
  }

  static String mib(Optional<Double> kib) {
    return kib.map(it -> format("%.1f MiB", it / 1024)).orElse(NONE);
  }

  static String kib(Optional<Double> kib) {
    return kib.map(it -> it >= 1024 ? mib(kib) : format("%.0f KiB", it)).orElse(NONE);
  }

  static String ratio(Optional<Double> ratio) {
    return ratio
        .map(
            it ->
                it >= 10
                    ? format("%.0f×", it)
                    : it >= 1 ? format("%.1f×", it) : format("%.2f×", it))
        .orElse(NONE);
  }

  @com.google.errorprone.annotations.FormatMethod
  private static String format(String format, double value) {
    return String.format(Locale.ROOT, format, value);
  }
}
