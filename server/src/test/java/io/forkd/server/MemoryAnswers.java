package io.forkd.server;

import io.forkd.registry.Answers;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** Answers that a restart of the daemon forgets. */
final class MemoryAnswers implements AnswerBook {
  private record Entry(String request, Optional<Answers.Answer> answer, Instant expires) {}

  private final Map<Answers.AnswerKey, Entry> entries = new HashMap<>();

  /** Whether the disk is full. */
  volatile boolean full;

  @Override
  public synchronized Answers.Begun begin(
      Answers.AnswerKey key, String request, Instant now, Instant expires) {
    Entry entry = entries.get(key);
    if (entry == null || !entry.expires().isAfter(now)) {
      entries.put(key, new Entry(request, Optional.empty(), expires));
      return new Answers.Begun.Fresh();
    }
    if (!entry.request().equals(request)) {
      return new Answers.Begun.Conflict();
    }
    return entry
        .answer()
        .<Answers.Begun>map(Answers.Begun.Replay::new)
        .orElseGet(Answers.Begun.UnderWay::new);
  }

  @Override
  public synchronized void finish(Answers.AnswerKey key, Answers.Answer answer) {
    FakeGuest.misbehave(full ? "boom-FULL" : "");
    entries.computeIfPresent(
        key, (_, entry) -> new Entry(entry.request(), Optional.of(answer), entry.expires()));
  }

  @Override
  public synchronized void forget(Answers.AnswerKey key) {
    FakeGuest.misbehave(full ? "boom-FULL" : "");
    entries.remove(key);
  }
}
