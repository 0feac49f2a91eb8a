package io.forkd.server;

import io.forkd.base.ChunkInput;
import io.forkd.base.ErrorCode;
import io.forkd.base.ForkdException;
import io.forkd.server.http.Exchange;
import io.forkd.server.http.HttpProblem;
import java.io.IOException;
import java.io.InputStream;
import org.jspecify.annotations.Nullable;

/**
 * A request's body of any size, read as it comes by who has a use for it. It tells a client that
 * stopped sending from a guest that stopped taking.
 */
final class SentBody extends ChunkInput {
  /** How much of a body that was refused is still read, so that its sender hears why. */
  private static final long MOST_UNWANTED = 8 << 20;

  private final InputStream in;
  private boolean begun;
  private boolean ended;
  private @Nullable IOException failure;

  /** Takes the body. */
  interface Taker<T> {
    T take(InputStream body) throws IOException;
  }

  private SentBody(InputStream in) {
    this.in = in;
  }

  /** Lets somebody take a request's body. */
  static <T> T give(Exchange exchange, Taker<T> taker) throws IOException {
    SentBody body = new SentBody(exchange.raw().body());
    try {
      return taker.take(body);
    } catch (IOException e) {
      throw body.reason(e);
    } catch (ForkdException e) {
      if (body.failure != null) {
        throw body.reason(body.failure);
      }
      body.drain();
      throw e;
    }
  }

  private RuntimeException reason(IOException e) {
    return failure == null
        ? new ForkdException(
            ErrorCode.GUEST_FAILED, "The guest stopped taking what was sent: %s".formatted(e), e)
        : new HttpProblem(408, "The request's body did not arrive: %s.".formatted(failure));
  }

  private void drain() {
    byte[] buffer = new byte[32 << 10];
    try {
      for (long total = 0; begun && !ended && total < MOST_UNWANTED; ) {
        total += Math.max(0, read(buffer));
      }
    } catch (IOException e) {
      // The client is gone and hears nothing, or it was told what is wrong before it was done.
    }
  }

  @Override
  public int read(byte[] target, int offset, int length) throws IOException {
    begun = true;
    try {
      int count = in.read(target, offset, length);
      ended |= count < 0;
      return count;
    } catch (IOException e) {
      failure = e;
      throw e;
    }
  }
}
