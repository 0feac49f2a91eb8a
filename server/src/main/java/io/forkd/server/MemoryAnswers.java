package io.forkd.server;

import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** Answers that a restart of the daemon forgets: the latest of them. */
final class MemoryAnswers implements AnswerBook {
  private static final int MOST = 1_000;

  private record Entry(Kept answer, Instant expires) {}

  private final Map<String, Entry> entries = new LinkedHashMap<>();

  @Override
  public synchronized Optional<Kept> find(String key, Instant now) {
    return Optional.ofNullable(entries.get(key))
        .filter(entry -> entry.expires().isAfter(now))
        .map(Entry::answer);
  }

  @Override
  public synchronized void keep(String key, Kept answer, Instant expires) {
    entries.remove(key);
    entries.put(key, new Entry(answer, expires));
    if (entries.size() > MOST) {
      entries.remove(entries.keySet().iterator().next());
    }
  }
}
