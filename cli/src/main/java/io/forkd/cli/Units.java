package io.forkd.cli;

import java.time.Duration;
import java.util.Locale;

/** Numbers as people read them. */
final class Units {
  private static final String[] SIZES = {"B", "KiB", "MiB", "GiB", "TiB"};

  private Units() {}

  static String bytes(long bytes) {
    double size = bytes;
    int unit = 0;
    while (size >= 1024 && unit < SIZES.length - 1) {
      size /= 1024;
      unit++;
    }
    return String.format(
        Locale.ROOT, unit == 0 || size >= 100 ? "%.0f %s" : "%.1f %s", size, SIZES[unit]);
  }

  static String millis(double millis) {
    if (millis >= 10_000) {
      return String.format(Locale.ROOT, "%.1f s", millis / 1000);
    }
    return String.format(Locale.ROOT, millis >= 100 ? "%.0f ms" : "%.1f ms", millis);
  }

  static String seconds(Duration duration) {
    return String.format(Locale.ROOT, "%.1f s", duration.toMillis() / 1000.0);
  }

  /** How long ago, in the one unit that says most. */
  static String age(Duration age) {
    long seconds = Math.max(0, age.toSeconds());
    if (seconds < 120) {
      return seconds + " s";
    }
    if (seconds < 7200) {
      return seconds / 60 + " min";
    }
    return seconds < 172_800 ? seconds / 3600 + " h" : seconds / 86_400 + " d";
  }
}
