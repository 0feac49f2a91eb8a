package io.forkd.server;

import io.forkd.guest.GuestSocket;
import java.io.BufferedInputStream;
import java.io.FilterInputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.time.Duration;

/**
 * A connection to a guest that is given up when nothing moves for too long. Any thread may close
 * it; a guard of its own ends the waits of those who read and write.
 */
final class GuestLine implements AutoCloseable {
  private final GuestSocket socket;
  private final long idleNanos;
  private final InputStream input;
  private final OutputStream output;
  private final Thread guard;
  private volatile long lastMove = System.nanoTime();
  private volatile boolean expired;

  GuestLine(GuestSocket socket, Duration idle) {
    this.socket = socket;
    this.idleNanos = idle.toNanos();
    this.input = new BufferedInputStream(new WatchedInput(socket.input()), 32 << 10);
    this.output = new WatchedOutput(socket.output());
    this.guard = Thread.ofVirtual().name("guest-line").start(this::guard);
  }

  InputStream input() {
    return input;
  }

  OutputStream output() {
    return output;
  }

  /** Says that the exchange goes on, though not on this line. */
  void moved() {
    lastMove = System.nanoTime();
  }

  /** Whether the line was given up. */
  boolean expired() {
    return expired;
  }

  /** Lets it be silent from now on. */
  void unguarded() {
    guard.interrupt();
  }

  @Override
  public void close() {
    guard.interrupt();
    socket.close();
  }

  private void guard() {
    try {
      for (long left = idleNanos; left > 0; left = lastMove + idleNanos - System.nanoTime()) {
        Thread.sleep(Duration.ofNanos(left));
      }
      expired = true;
      socket.close();
    } catch (InterruptedException e) {
      // The exchange has ended.
      return;
    }
  }

  private final class WatchedInput extends FilterInputStream {
    WatchedInput(InputStream in) {
      super(in);
    }

    @Override
    public int read(byte[] target, int offset, int length) throws IOException {
      int count = in.read(target, offset, length);
      moved();
      return count;
    }
  }

  private final class WatchedOutput extends FilterOutputStream {
    WatchedOutput(OutputStream out) {
      super(out);
    }

    @Override
    public void write(byte[] source, int offset, int length) throws IOException {
      out.write(source, offset, length);
      out.flush();
      moved();
    }
  }
}
