package io.forkd.core;

import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/**
 * Tells what happens to whoever listens, and to late listeners what happened lately. Types: {@code
 * sandbox.created}, {@code .updated}, {@code .paused}, {@code .resumed}, {@code .branched}, {@code
 * .rolled_back}, {@code .ended}; {@code snapshot.created}, {@code .removed}; {@code
 * workspace.created}, {@code .suspended}, {@code .resumed}, {@code .deleted}; {@code pool.set};
 * {@code daemon.started}.
 */
public final class Events {
  private static final int REMEMBERED = 1000;

  private final Deque<Event> recent = new ArrayDeque<>();
  private final List<Consumer<Event>> listeners = new CopyOnWriteArrayList<>();
  private long last;

  /** Ends a subscription. */
  public interface Subscription extends AutoCloseable {
    @Override
    void close();
  }

  /**
   * Listens from now on, after hearing what is still remembered beyond a number.
   *
   * @param listener must return at once; it is called in the order of the events
   */
  public synchronized Subscription subscribe(long after, Consumer<Event> listener) {
    recent.stream().filter(event -> event.number() > after).forEach(listener);
    listeners.add(listener);
    return () -> listeners.remove(listener);
  }

  /** A constant as the wire spells it. */
  static String word(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT);
  }

  public synchronized List<Event> recent() {
    return new ArrayList<>(recent);
  }

  public synchronized void tell(
      String type, String subject, Optional<String> owner, Map<String, String> details) {
    Event event = new Event(++last, Instant.now(), type, subject, owner, details);
    recent.addLast(event);
    if (recent.size() > REMEMBERED) {
      recent.removeFirst();
    }
    listeners.forEach(listener -> listener.accept(event));
  }
}
