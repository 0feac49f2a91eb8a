package io.forkd.server;

import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiConsumer;
import java.util.function.Supplier;

/** One thing for each combination of label values that occurred. */
final class Labelled<T> {
  private final Map<List<String>, T> things = new ConcurrentHashMap<>();
  private final Supplier<T> maker;

  Labelled(Supplier<T> maker) {
    this.maker = maker;
  }

  /** The one of these values, made when it is the first time. */
  T of(String... values) {
    return things.computeIfAbsent(List.of(values), _ -> maker.get());
  }

  /** In the same order each time. */
  void forEach(BiConsumer<List<String>, T> action) {
    things.entrySet().stream()
        .sorted(Comparator.comparing(entry -> entry.getKey().toString()))
        .forEach(entry -> action.accept(entry.getKey(), entry.getValue()));
  }
}
