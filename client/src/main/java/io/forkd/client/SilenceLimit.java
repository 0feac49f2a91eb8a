package io.forkd.client;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.SocketTimeoutException;
import java.time.Duration;

/**
 * An input whose reads end when nothing comes for too long. Not every socket knows timeouts, so a
 * thread of its own watches and closes the connection. Who reads rarely is not punished: only time
 * spent waiting counts.
 */
final class SilenceLimit extends FilterInputStream {
  private static final long NOT_WAITING = 0;

  private final Duration limit;
  private final Runnable end;
  private final Thread watcher;
  private volatile long waitingSince = NOT_WAITING;
  private volatile boolean armed;
  private volatile boolean late;

  /**
   * @param end closes the connection
   * @param armed whether silence counts from the beginning, or only from {@link #arm} on
   */
  SilenceLimit(InputStream in, Duration limit, boolean armed, Runnable end) {
    super(in);
    this.limit = limit;
    this.end = end;
    this.armed = armed;
    this.watcher = Thread.ofVirtual().name("silence-limit").start(this::watch);
  }

  /** From now on silence counts. */
  void arm() {
    if (waitingSince != NOT_WAITING) {
      waitingSince = now();
    }
    armed = true;
  }

  private void watch() {
    try {
      while (!late) {
        Thread.sleep(limit.dividedBy(8).plusMillis(1));
        long since = waitingSince;
        if (armed && since != NOT_WAITING && System.nanoTime() - since > limit.toNanos()) {
          late = true;
          end.run();
        }
      }
    } catch (InterruptedException e) {
      // Nobody reads any more.
      return;
    }
  }

  @Override
  public int read() throws IOException {
    byte[] one = new byte[1];
    return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
  }

  @Override
  public int read(byte[] target, int offset, int length) throws IOException {
    waitingSince = now();
    try {
      int count = in.read(target, offset, length);
      if (count < 0 && late) {
        throw silence();
      }
      return count;
    } catch (IOException e) {
      throw late ? silence() : e;
    } finally {
      waitingSince = NOT_WAITING;
    }
  }

  private IOException silence() {
    return new SocketTimeoutException("nothing for %d s".formatted(limit.toSeconds()));
  }

  private static long now() {
    return System.nanoTime() | 1;
  }

  @Override
  public void close() {
    watcher.interrupt();
  }
}
