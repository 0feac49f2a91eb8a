package io.forkd.server;

import io.forkd.core.Event;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * The events that one client has yet to be sent. Whoever tells never waits: a client that falls too
 * far behind loses its feed, not its memory to us.
 */
final class EventFeed {
  /** More than are remembered, so that hearing of the past does not end a feed. */
  private static final int MOST = 4096;

  /** What comes next in a feed. */
  sealed interface Next {
    record Happened(Event event) implements Next {}

    /** Nothing happened in that time. */
    record Silence() implements Next {}

    /** There will be no more; {@code overrun} because the client was too slow. */
    record End(boolean overrun) implements Next {}
  }

  /** An empty one is the last. */
  private final BlockingQueue<Optional<Event>> waiting = new ArrayBlockingQueue<>(MOST);

  private volatile boolean ended;
  private volatile boolean overrun;

  void offer(Event event) {
    if (!ended && !waiting.offer(Optional.of(event))) {
      overrun = true;
      end();
    }
  }

  /** Ends the feed at once; what waits is not sent any more. */
  void end() {
    ended = true;
    waiting.clear();
    // Fails only when somebody else has just ended it too.
    boolean _ = waiting.offer(Optional.empty());
  }

  /** Ends the feed after what waits now. */
  void endAfterThis() {
    ended = true;
    if (!waiting.offer(Optional.empty())) {
      end();
    }
  }

  Next next(Duration patience) throws InterruptedException {
    Optional<Event> event = waiting.poll(patience.toMillis(), TimeUnit.MILLISECONDS);
    if (event == null) {
      return new Next.Silence();
    }
    return event.<Next>map(Next.Happened::new).orElseGet(() -> new Next.End(overrun));
  }
}
