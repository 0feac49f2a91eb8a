package io.forkd.guest;

import io.forkd.base.ForkdException;
import io.forkd.base.Printable;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;

/** A connection to a port in the guest, as two blocking streams over one stream of the channel. */
final class PortSocket implements GuestSocket {
  /** Small enough that other streams of the channel get their turn in between. */
  private static final int MOST_AT_ONCE = 32 * 1024;

  private final GuestStream stream;
  private final String peer;
  private final Input input = new Input();
  private final Output output = new Output();
  private final AtomicBoolean inputEnded = new AtomicBoolean();
  private volatile boolean closed;

  /**
   * @param peer what is connected to, for messages
   */
  PortSocket(GuestStream stream, String peer) {
    this.stream = stream;
    this.peer = peer;
  }

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
    closed = true;
    try {
      endOutput();
    } catch (IOException e) {
      // It is being given up anyway.
    }
    stream.close();
  }

  /** Tells the guest that no more comes, once. */
  private void endOutput() throws IOException {
    if (!inputEnded.compareAndSet(false, true) || stream.outcome().isPresent()) {
      return;
    }
    try {
      stream.send(Protocol.EOF, Protocol.CHANNEL_IN, new byte[0]);
    } catch (ForkdException e) {
      throw new IOException(e.getMessage(), e);
    }
  }

  /** Why nothing moves any more. */
  private IOException ended() {
    if (closed) {
      return new IOException("The connection to %s was closed by this side.".formatted(peer));
    }
    return switch (stream.outcome().orElse(new Outcome.Result(new byte[0]))) {
      case Outcome.Result _ -> new IOException("The connection to %s has ended.".formatted(peer));
      case Outcome.Reset(int _, String message) ->
          new IOException(
              "The connection to %s broke: %s.".formatted(peer, Printable.shorten(message)));
      case Outcome.Broken(ForkdException cause) ->
          new IOException(
              "The connection to %s broke: %s".formatted(peer, cause.getMessage()), cause);
    };
  }

  private static InterruptedIOException interrupted(InterruptedException cause) {
    Thread.currentThread().interrupt();
    InterruptedIOException failure =
        new InterruptedIOException("interrupted while waiting for the guest");
    failure.initCause(cause);
    return failure;
  }

  /** What the guest sends. Credit for more is given only for what was read out. */
  private final class Input extends InputStream {
    private byte[] piece = new byte[0];
    private int next;

    @Override
    public int read() throws IOException {
      byte[] one = new byte[1];
      return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
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
      if (closed) {
        throw ended();
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
      if (closed
          || !(stream.outputEnded() || stream.outcome().filter(Input::regular).isPresent())) {
        throw ended();
      }
      return false;
    }

    private static boolean regular(Outcome outcome) {
      return outcome instanceof Outcome.Result;
    }

    private void consumed(int length) {
      try {
        stream.consumed(length);
      } catch (ForkdException e) {
        // The channel is gone; the next read says so, after what was already here.
      }
    }
  }

  /** What the guest gets. */
  private final class Output extends OutputStream {
    @Override
    public void write(int value) throws IOException {
      write(new byte[] {(byte) value}, 0, 1);
    }

    @Override
    public synchronized void write(byte[] data, int from, int length) throws IOException {
      Objects.checkFromIndexSize(from, length, data.length);
      int sent = 0;
      while (sent < length) {
        sent += send(data, from + sent, length - sent);
      }
    }

    private int send(byte[] data, int from, int length) throws IOException {
      if (inputEnded.get()) {
        throw new IOException("The output to %s is closed.".formatted(peer));
      }
      try {
        int some = Math.min(Math.min(stream.awaitCredit(), MOST_AT_ONCE), length);
        if (some == 0) {
          throw ended();
        }
        stream.sendData(data, from, some);
        return some;
      } catch (InterruptedException e) {
        throw interrupted(e);
      } catch (ForkdException e) {
        throw new IOException(e.getMessage(), e);
      }
    }

    /** Does not wait for a write that another thread is at: it may wait for the guest. */
    @Override
    public void close() throws IOException {
      endOutput();
    }
  }
}
