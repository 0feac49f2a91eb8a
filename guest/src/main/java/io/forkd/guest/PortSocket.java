package io.forkd.guest;

import io.forkd.base.ForkdException;
import io.forkd.base.Printable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;

/** A connection to a port in the guest, as two blocking streams over one stream of the channel. */
final class PortSocket implements GuestSocket {
  /** Small enough that other streams of the channel get their turn in between. */
  private static final int MOST_AT_ONCE = 32 * 1024;

  private final GuestStream stream;
  private final String peer;
  private final GuestInput input;
  private final Output output = new Output();
  private final AtomicBoolean inputEnded = new AtomicBoolean();
  private volatile boolean closed;

  /**
   * @param peer what is connected to, for messages
   */
  PortSocket(GuestStream stream, String peer) {
    this.stream = stream;
    this.peer = peer;
    input = new GuestInput(stream, new Ending());
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

  /** How reading from the guest ends. */
  private final class Ending implements GuestInput.Ending {
    @Override
    public boolean isClosed() {
      return closed;
    }

    @Override
    public boolean isRegular() {
      return stream.outputEnded() || stream.outcome().orElse(null) instanceof Outcome.Result;
    }

    @Override
    public IOException failure() {
      return ended();
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
        throw GuestInput.interrupted(e);
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
