package io.forkd.server;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Carries a request's body to a guest on a virtual thread, at the pace the guest takes it, while
 * another thread waits for the answer: a guest may answer before it has read everything.
 */
final class BodyPump {
  /** How much is still read of a body that nobody wants, so that its sender hears the answer. */
  private static final long MOST_UNWANTED = 8 << 20;

  private static final byte[] LAST_CHUNK = "0\r\n\r\n".getBytes(StandardCharsets.US_ASCII);

  private final InputStream body;
  private final GuestLine line;
  private final boolean chunked;
  private final CountDownLatch wanted = new CountDownLatch(1);
  private final Thread thread;
  private volatile @Nullable IOException clientFailure;

  /**
   * @param consent how long to wait for {@link #want}
   */
  BodyPump(InputStream body, GuestLine line, boolean chunked, Duration consent) {
    this.body = body;
    this.line = line;
    this.chunked = chunked;
    this.thread = Thread.ofVirtual().name("body-pump").start(() -> run(consent));
  }

  /** The guest has asked for the body. */
  void want() {
    wanted.countDown();
  }

  /** Why the body did not come, when it was the client's fault. */
  Optional<IOException> clientFailure() {
    return Optional.ofNullable(clientFailure);
  }

  /** Waits for the end; the line is closed. */
  boolean endsWithin(Duration time) {
    if (wanted.getCount() > 0) {
      // Nobody asked the client for the body, so it need not be read.
      thread.interrupt();
    }
    try {
      return thread.join(time);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  private void run(Duration consent) {
    try {
      // A guest that neither asks nor refuses is one that does not know how to.
      wanted.await(consent.toMillis(), TimeUnit.MILLISECONDS);
      wanted.countDown();
    } catch (InterruptedException e) {
      return;
    }
    try (body) {
      if (!forward()) {
        drain();
      }
    } catch (IOException e) {
      clientFailure = e;
      line.close();
    }
  }

  /** Whether the guest took it all; an exception means that the client did not send it all. */
  private boolean forward() throws IOException {
    byte[] buffer = new byte[32 << 10];
    OutputStream out = line.output();
    for (int count = body.read(buffer); count >= 0; count = body.read(buffer)) {
      try {
        if (chunked) {
          out.write(chunk(buffer, count));
        } else {
          out.write(buffer, 0, count);
        }
      } catch (IOException e) {
        return false;
      }
    }
    try {
      if (chunked) {
        out.write(LAST_CHUNK);
      }
    } catch (IOException e) {
      // What the guest answers says why.
      return true;
    }
    return true;
  }

  private static byte[] chunk(byte[] buffer, int count) {
    byte[] size = (Integer.toHexString(count) + "\r\n").getBytes(StandardCharsets.US_ASCII);
    byte[] chunk = new byte[size.length + count + 2];
    System.arraycopy(size, 0, chunk, 0, size.length);
    System.arraycopy(buffer, 0, chunk, size.length, count);
    chunk[chunk.length - 2] = '\r';
    chunk[chunk.length - 1] = '\n';
    return chunk;
  }

  private void drain() throws IOException {
    byte[] buffer = new byte[32 << 10];
    long total = 0;
    for (int count = body.read(buffer); count >= 0; count = body.read(buffer)) {
      total += count;
      if (total > MOST_UNWANTED) {
        return;
      }
    }
  }
}
