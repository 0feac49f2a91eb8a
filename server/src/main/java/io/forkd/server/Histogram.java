package io.forkd.server;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.DoubleAdder;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;

/** How long something took, in buckets from a millisecond to minutes. */
final class Histogram {
  private static final double[] BOUNDS = {
    0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300
  };

  private final String name;
  private final String help;
  private final List<String> labels;
  private final Labelled<Series> series = new Labelled<>(Series::new);

  Histogram(String name, String help, String... labels) {
    this.name = name;
    this.help = help;
    this.labels = List.of(labels);
    if (this.labels.isEmpty()) {
      series.of();
    }
  }

  void observe(double seconds, String... values) {
    series.of(values).observe(seconds);
  }

  void observeSince(long startNanos, String... values) {
    observe((System.nanoTime() - startNanos) / 1e9, values);
  }

  /** Does something and observes how long it took, however it ended. */
  <T> T time(Supplier<T> work) {
    long start = System.nanoTime();
    try {
      return work.get();
    } finally {
      observeSince(start);
    }
  }

  void writeTo(MetricText text) {
    text.family(name, "histogram", help);
    series.forEach((values, one) -> write(text, values, one));
  }

  private void write(MetricText text, List<String> values, Series one) {
    List<String> withBound = new ArrayList<>(labels);
    withBound.add("le");
    long total = 0;
    for (int i = 0; i <= BOUNDS.length; i++) {
      total += one.counts[i].sum();
      List<String> at = new ArrayList<>(values);
      at.add(MetricText.number(i < BOUNDS.length ? BOUNDS[i] : Double.POSITIVE_INFINITY));
      text.sample(name + "_bucket", withBound, at, total);
    }
    text.sample(name + "_sum", labels, values, one.sum.sum());
    text.sample(name + "_count", labels, values, total);
  }

  /** The times of one combination of labels. Adders, so that callers do not wait for each other. */
  private static final class Series {
    private final LongAdder[] counts = new LongAdder[BOUNDS.length + 1];
    private final DoubleAdder sum = new DoubleAdder();

    Series() {
      for (int i = 0; i < counts.length; i++) {
        counts[i] = new LongAdder();
      }
    }

    void observe(double seconds) {
      int bucket = 0;
      while (bucket < BOUNDS.length && seconds > BOUNDS[bucket]) {
        bucket++;
      }
      counts[bucket].increment();
      sum.add(seconds);
    }
  }
}
