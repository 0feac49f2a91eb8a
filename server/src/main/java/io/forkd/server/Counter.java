package io.forkd.server;

import java.util.List;
import java.util.concurrent.atomic.LongAdder;

/** Counts how often something happened, for each combination of its labels' values. */
final class Counter {
  private final String name;
  private final String help;
  private final List<String> labels;
  private final Labelled<LongAdder> counts = new Labelled<>(LongAdder::new);

  /**
   * @param labels whoever counts must make sure that they have few values
   */
  Counter(String name, String help, String... labels) {
    this.name = name;
    this.help = help;
    this.labels = List.of(labels);
    if (this.labels.isEmpty()) {
      add(0);
    }
  }

  void increment(String... values) {
    add(1, values);
  }

  void add(long count, String... values) {
    counts.of(values).add(count);
  }

  void writeTo(MetricText text) {
    text.family(name, "counter", help);
    counts.forEach((values, count) -> text.sample(name, labels, values, count.sum()));
  }
}
