package io.forkd.base;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * A connection that carries bytes both ways, each way until it is closed. Reading and writing
 * block, and each may be done by a thread of its own.
 */
public interface Duplex extends AutoCloseable {
  /** What the other side sends; ends when that side has closed its way. */
  InputStream input();

  /** What the other side gets; closing this closes that way alone. */
  OutputStream output();

  /** Ends both ways, also for threads that wait in them. May be called more than once. */
  @Override
  void close();

  static Duplex of(InputStream input, OutputStream output, Runnable end) {
    return new Duplex() {
      @Override
      public InputStream input() {
        return input;
      }

      @Override
      public OutputStream output() {
        return output;
      }

      @Override
      public void close() {
        end.run();
      }
    };
  }

  /**
   * Carries what comes from each side to the other until both have closed their way or one breaks,
   * and closes both. What one side does not take, the other waits with.
   */
  static void join(Duplex one, Duplex other) throws IOException {
    AtomicReference<@Nullable IOException> broken = new AtomicReference<>();
    Thread back =
        Thread.ofVirtual().name("duplex").start(() -> carry(other, one, broken, one, other));
    carry(one, other, broken, one, other);
    try {
      back.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      one.close();
      other.close();
    }
    IOException reason = broken.get();
    if (reason != null) {
      throw reason;
    }
  }

  private static void carry(
      Duplex from, Duplex to, AtomicReference<@Nullable IOException> broken, Duplex... both) {
    try {
      byte[] buffer = new byte[32 << 10];
      OutputStream out = to.output();
      for (int count = from.input().read(buffer); count >= 0; count = from.input().read(buffer)) {
        out.write(buffer, 0, count);
        out.flush();
      }
      out.close();
    } catch (IOException e) {
      broken.compareAndSet(null, e);
      for (Duplex side : both) {
        side.close();
      }
    }
  }
}
