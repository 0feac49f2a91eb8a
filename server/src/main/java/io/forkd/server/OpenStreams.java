package io.forkd.server;

import java.util.List;
import java.util.concurrent.atomic.LongAdder;

/** Counts the streams into guests that are open now. */
final class OpenStreams {
  private static final String NAME = "forkd_guest_streams_open";

  private final Labelled<LongAdder> counts = new Labelled<>(LongAdder::new);

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
      count(kind);
    }
  }

  Open begin(Kind kind) {
    LongAdder count = count(kind);
    count.increment();
    return count::decrement;
  }

  private LongAdder count(Kind kind) {
    return counts.of(Shapes.word(kind));
  }

  void writeTo(MetricText text) {
    text.family(NAME, "gauge", "Streams into guests that are open.");
    counts.forEach((values, count) -> text.sample(NAME, List.of("kind"), values, count.sum()));
  }
}
