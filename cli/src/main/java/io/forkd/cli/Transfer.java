package io.forkd.cli;

import java.io.FilterInputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.time.Duration;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicLong;

/** Counts the bytes of a copy and shows on a screen how far it is. */
final class Transfer implements AutoCloseable {
  private static final long REDRAW_NANOS = 200_000_000;

  private final Terminal terminal;
  private final String what;
  private final OptionalLong size;
  private final AtomicLong bytes = new AtomicLong();
  private final long began = System.nanoTime();
  private long lastDrawn = began;
  private boolean drawn;

  /**
   * @param size of all bytes, where it is known
   */
  Transfer(Terminal terminal, String what, OptionalLong size) {
    this.terminal = terminal;
    this.what = what;
    this.size = size;
  }

  long bytes() {
    return bytes.get();
  }

  double seconds() {
    return (System.nanoTime() - began) / 1e9;
  }

  InputStream counting(InputStream in) {
    return new FilterInputStream(in) {
      @Override
      public int read() throws IOException {
        int next = in.read();
        moved(next < 0 ? 0 : 1);
        return next;
      }

      @Override
      public int read(byte[] target, int offset, int length) throws IOException {
        int count = in.read(target, offset, length);
        moved(Math.max(0, count));
        return count;
      }
    };
  }

  OutputStream counting(OutputStream out) {
    return new FilterOutputStream(out) {
      @Override
      public void write(byte[] source, int offset, int length) throws IOException {
        out.write(source, offset, length);
        moved(length);
      }
    };
  }

  private void moved(int count) {
    long now = System.nanoTime();
    long total = bytes.addAndGet(count);
    if (terminal.liveErr() && now - lastDrawn > REDRAW_NANOS) {
      lastDrawn = now;
      drawn = true;
      String part =
          size.isPresent() && size.getAsLong() > 0
              ? " of %s (%d %%)"
                  .formatted(Units.bytes(size.getAsLong()), 100 * total / size.getAsLong())
              : "";
      terminal
          .err()
          .print(
              "\r\u001b[K%s: %s%s, %s/s, %s"
                  .formatted(
                      what,
                      Units.bytes(total),
                      part,
                      Units.bytes((long) (total / seconds())),
                      Units.seconds(Duration.ofNanos(now - began))));
      terminal.err().flush();
    }
  }

  @Override
  public void close() {
    if (drawn) {
      terminal.err().print("\r\u001b[K");
      terminal.err().flush();
    }
  }
}
