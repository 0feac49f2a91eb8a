package io.forkd.server.e2b;

import java.io.Closeable;
import java.io.IOException;
import java.time.Duration;

/** Closes something that may wait for ever when its time is over, unless it is closed before. */
final class Deadline implements AutoCloseable {
  private final Thread timer;
  private volatile boolean over;

  private Deadline(Closeable what, Duration time) {
    timer =
        Thread.ofVirtual()
            .name("deadline")
            .start(
                () -> {
                  try {
                    Thread.sleep(time);
                    over = true;
                    what.close();
                  } catch (InterruptedException | IOException e) {
                    Thread.currentThread().interrupt();
                  }
                });
  }

  static Deadline closing(Closeable what, Duration time) {
    return new Deadline(what, time);
  }

  boolean isOver() {
    return over;
  }

  @Override
  public void close() {
    timer.interrupt();
  }
}
