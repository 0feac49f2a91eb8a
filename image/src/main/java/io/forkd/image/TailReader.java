package io.forkd.image;

import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.Arrays;

/** Drains a stream on its own thread, keeping only the last bytes of it. */
final class TailReader implements Runnable {
  private static final Duration AFTER_THE_END = Duration.ofSeconds(10);

  private final InputStream stream;
  private final int limit;
  private final Thread thread;
  private byte[] kept = new byte[8192];
  private int length;

  private TailReader(InputStream stream, int limit) {
    this.stream = stream;
    this.limit = limit;
    thread = Thread.ofVirtual().unstarted(this);
  }

  static TailReader start(InputStream stream, int limit) {
    TailReader reader = new TailReader(stream, limit);
    reader.thread.start();
    return reader;
  }

  @Override
  public void run() {
    byte[] buffer = new byte[64 << 10];
    try {
      for (int count = stream.read(buffer); count >= 0; count = stream.read(buffer)) {
        keep(buffer, count);
      }
    } catch (IOException ignored) {
      // A killed program's pipe breaks; what it said before is what counts.
    }
  }

  /**
   * What is kept once the stream has ended, or shortly after: a program may leave a child behind
   * that keeps the pipe open.
   */
  byte[] join() throws InterruptedException {
    thread.join(AFTER_THE_END);
    return copy();
  }

  private synchronized byte[] copy() {
    return Arrays.copyOfRange(kept, Math.max(0, length - limit), length);
  }

  private synchronized void keep(byte[] buffer, int count) {
    // Twice the limit before dropping, so that each byte is moved at most once on average.
    if (length + count > 2L * limit) {
      int keep = Math.min(length, limit);
      System.arraycopy(kept, length - keep, kept, 0, keep);
      length = keep;
    }
    if (length + count > kept.length) {
      kept = Arrays.copyOf(kept, Math.max(length + count, kept.length * 2));
    }
    System.arraycopy(buffer, 0, kept, length, count);
    length += count;
  }
}
