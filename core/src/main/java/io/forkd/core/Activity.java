package io.forkd.core;

import java.time.Duration;
import java.util.function.BiFunction;
import java.util.function.Supplier;

/** Whether somebody uses a sandbox, and since when nobody does. */
final class Activity {
  private int calls;
  private long lastEnd = System.nanoTime();

  /** A use that lasts until it is closed; closing it again does nothing. */
  interface Use extends AutoCloseable {
    @Override
    void close();

    /** Closes what was used, and with it the use. */
    default void closeAfter(Runnable used) {
      try {
        used.run();
      } finally {
        close();
      }
    }
  }

  synchronized Use begin() {
    calls++;
    return new Use() {
      private boolean open = true;

      @Override
      public void close() {
        synchronized (Activity.this) {
          if (open) {
            open = false;
            calls--;
            lastEnd = System.nanoTime();
          }
        }
      }
    };
  }

  <T> T during(Supplier<T> call) {
    try (Use _ = begin()) {
      return call.get();
    }
  }

  void during(Runnable call) {
    try (Use _ = begin()) {
      call.run();
    }
  }

  /**
   * Opens something that is a use until it is closed.
   *
   * @param counted makes of what was opened one whose close ends the use too
   */
  <T> T open(Supplier<T> opening, BiFunction<T, Use, T> counted) {
    Use use = begin();
    try {
      return counted.apply(opening.get(), use);
    } catch (RuntimeException e) {
      use.close();
      throw e;
    }
  }

  /** How long nobody has used it; zero while somebody does. */
  synchronized Duration idle() {
    return calls > 0 ? Duration.ZERO : Duration.ofNanos(System.nanoTime() - lastEnd);
  }
}
