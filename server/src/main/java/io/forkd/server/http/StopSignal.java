package io.forkd.server.http;

/**
 * Lets the stop of the daemon, or the end of its sender's rights, interrupt the thread that answers
 * one exchange while this is open, and never after.
 */
public final class StopSignal implements AutoCloseable {
  private final Thread thread = Thread.currentThread();
  private boolean stopped;
  private boolean closed;

  private StopSignal() {}

  public static StopSignal of(Exchange exchange) {
    StopSignal signal = new StopSignal();
    exchange.raw().endWithServer(signal::stop);
    return signal;
  }

  private synchronized void stop() {
    if (!closed) {
      stopped = true;
      thread.interrupt();
    }
  }

  @Override
  public synchronized void close() {
    closed = true;
    if (stopped) {
      // The thread serves others next.
      boolean _ = Thread.interrupted();
    }
  }
}
