package io.forkd.server.http;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * What is ended when the server stops rather than waited for: connections that would never end by
 * themselves. Any thread may use it.
 */
final class Endings {
  private final Set<Runnable> ends = ConcurrentHashMap.newKeySet();
  private volatile boolean stopped;

  /** Runs {@code end} when the server stops, or at once when it has; what it ends is then gone. */
  void add(Runnable end) {
    ends.add(end);
    if (stopped) {
      end.run();
    }
  }

  void remove(Runnable end) {
    ends.remove(end);
  }

  void stop() {
    stopped = true;
    ends.forEach(Runnable::run);
  }
}
