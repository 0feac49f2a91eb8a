package io.forkd.server;

import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/** Counts how often something happened, for each combination of its labels' values. */
final class Counter {
  private final String name;
  private final String help;
  private final List<String> labels;
  private final Map<List<String>, LongAdder> counts = new ConcurrentHashMap<>();

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
    counts.computeIfAbsent(List.of(values), _ -> new LongAdder()).add(count);
  }

  void writeTo(MetricText text) {
    text.family(name, "counter", help);
    SortedMap<String, List<String>> sorted = new TreeMap<>();
    counts.keySet().forEach(values -> sorted.put(values.toString(), values));
    sorted.values().forEach(values -> text.sample(name, labels, values, counts.get(values).sum()));
  }
}
