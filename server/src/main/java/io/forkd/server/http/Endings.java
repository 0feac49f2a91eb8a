package io.forkd.server.http;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * What is ended together rather than waited for, such as by a server that stops: connections that
 * would never end by themselves. Any thread may use it.
 */
public final class Endings {
  private final Set<Runnable> ends = ConcurrentHashMap.newKeySet();
  private volatile boolean stopped;

  /** Runs {@code end} at the stop, or at once when it has been; what it ends is then gone. */
  public void add(Runnable end) {
    ends.add(end);
    if (stopped) {
      end.run();
    }
  }

  void remove(Runnable end) {
    ends.remove(end);
  }

  /** Ends all that is here, and from now on whatever comes. */
  public void stop() {
    stopped = true;
    ends.forEach(Runnable::run);
  }
}
