package io.forkd.guest;

import io.forkd.base.ChunkInput;
import io.forkd.base.ForkdException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.Objects;

/** What a guest sends on a stream. Credit for more is given only for what was read out. */
final class GuestInput extends ChunkInput {
  /** How the stream ends, as its owner sees it. */
  interface Ending {
    /** Whether this side has closed it. */
    boolean isClosed();

    /** Whether all has come that the guest had to send. */
    boolean isRegular();

    /** Why nothing comes any more. */
    IOException failure();
  }

  private final GuestStream stream;
  private final Ending ending;
  private byte[] piece = new byte[0];
  private int next;

  GuestInput(GuestStream stream, Ending ending) {
    this.stream = stream;
    this.ending = ending;
  }

  @Override
  public synchronized int read(byte[] into, int from, int length) throws IOException {
    Objects.checkFromIndexSize(from, length, into.length);
    if (length == 0) {
      return 0;
    }
    if (next == piece.length && !fetch()) {
      return -1;
    }
    if (ending.isClosed()) {
      throw ending.failure();
    }
    int taken = Math.min(length, piece.length - next);
    System.arraycopy(piece, next, into, from, taken);
    next += taken;
    consumed(taken);
    return taken;
  }

  /** Gets the next piece; false at a regular end. */
  private boolean fetch() throws IOException {
    next = 0;
    piece = new byte[0];
    try {
      piece = stream.takeOutput();
    } catch (InterruptedException e) {
      throw interrupted(e);
    }
    if (piece.length > 0) {
      return true;
    }
    if (ending.isClosed() || !ending.isRegular()) {
      throw ending.failure();
    }
    return false;
  }

  private void consumed(int length) {
    try {
      stream.consumed(length);
    } catch (ForkdException e) {
      // The channel is gone; the next read says so, after what was already here.
    }
  }

  static InterruptedIOException interrupted(InterruptedException cause) {
    Thread.currentThread().interrupt();
    InterruptedIOException failure =
        new InterruptedIOException("interrupted while waiting for the guest");
    failure.initCause(cause);
    return failure;
  }
}
