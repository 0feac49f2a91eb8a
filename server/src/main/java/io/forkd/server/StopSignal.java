package io.forkd.server;

import io.forkd.server.http.Exchange;

/**
 * Lets the stop of the daemon interrupt the thread that answers one exchange while this is open,
 * and never after.
 */
final class StopSignal implements AutoCloseable {
  private final Thread thread = Thread.currentThread();
  private boolean stopped;
  private boolean closed;

  private StopSignal() {}

  static StopSignal of(Exchange exchange) {
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
