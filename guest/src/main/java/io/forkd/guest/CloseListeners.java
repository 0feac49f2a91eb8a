package io.forkd.guest;

import java.util.ArrayList;
import java.util.List;

/** Who is told once when something ends, or at once when it has. Any thread may use it. */
final class CloseListeners {
  private final List<Runnable> waiting = new ArrayList<>();
  private boolean closed;

  void add(Runnable listener) {
    synchronized (this) {
      if (!closed) {
        waiting.add(listener);
        return;
      }
    }
    run(listener);
  }

  void closed() {
    List<Runnable> told;
    synchronized (this) {
      closed = true;
      told = List.copyOf(waiting);
      waiting.clear();
    }
    told.forEach(CloseListeners::run);
  }

  /** One that fails must not keep the others from being told. */
  private static void run(Runnable listener) {
    try {
      listener.run();
    } catch (RuntimeException e) {
      Thread thread = Thread.currentThread();
      thread.getUncaughtExceptionHandler().uncaughtException(thread, e);
    }
  }
}
