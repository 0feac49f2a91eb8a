package io.forkd.server;

import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;

/** Counts the streams into guests that are open now. */
final class OpenStreams {
  private static final String NAME = "forkd_guest_streams_open";

  private final Map<Kind, AtomicLong> counts = new EnumMap<>(Kind.class);

  /** What flows in a stream. */
  enum Kind {
    PROCESS,
    TERMINAL,
    WATCH,
    CODE
  }

  /** A stream that counts until it is closed. */
  interface Open extends AutoCloseable {
    @Override
    void close();
  }

  OpenStreams() {
    for (Kind kind : Kind.values()) {
      counts.put(kind, new AtomicLong());
    }
  }

  Open begin(Kind kind) {
    AtomicLong count = count(kind);
    count.incrementAndGet();
    return count::decrementAndGet;
  }

  private AtomicLong count(Kind kind) {
    return counts.getOrDefault(kind, new AtomicLong());
  }

  void writeTo(MetricText text) {
    text.family(NAME, "gauge", "Streams into guests that are open.");
    for (Kind kind : Kind.values()) {
      text.sample(NAME, List.of("kind"), List.of(Shapes.word(kind)), count(kind).get());
    }
  }
}
