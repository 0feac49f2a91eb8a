package io.forkd.guest;

import io.forkd.base.ForkdException;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.OptionalLong;

/** The content of a file or tree, read from a helper of the agent as its reader reads. */
final class ContentCall implements FileContent {
  private final FileCall call;
  private final GuestStream stream;
  private final GuestInput input;
  private final long length;
  private volatile boolean closed;

  private ContentCall(FileCall call, GuestStream stream) throws IOException {
    this.call = call;
    this.stream = stream;
    this.input = new GuestInput(stream, new Ending());
    this.length = readLength();
  }

  /** Asks, and returns when the guest has said how much will come. */
  static ContentCall open(FileCall call) {
    GuestStream stream = call.start();
    try {
      return new ContentCall(call, stream);
    } catch (IOException e) {
      stream.close();
      throw Thread.currentThread().isInterrupted()
          ? call.interrupted()
          : call.failure(stream.outcome().orElseThrow());
    }
  }

  private long readLength() throws IOException {
    byte[] header = input.readNBytes(Long.BYTES);
    if (header.length < Long.BYTES) {
      throw new EOFException();
    }
    return ByteBuffer.wrap(header).order(ByteOrder.LITTLE_ENDIAN).getLong();
  }

  @Override
  public OptionalLong length() {
    return length < 0 ? OptionalLong.empty() : OptionalLong.of(length);
  }

  @Override
  public InputStream stream() {
    return input;
  }

  @Override
  public void close() {
    closed = true;
    stream.close();
  }

  /** How reading ends. */
  private final class Ending implements GuestInput.Ending {
    @Override
    public boolean isClosed() {
      return closed;
    }

    @Override
    public boolean isRegular() {
      return stream.outcome().orElse(null) instanceof Outcome.Result;
    }

    @Override
    public IOException failure() {
      if (closed) {
        return new IOException("It was closed before it was read to its end.");
      }
      ForkdException cause = call.failure(stream.outcome().orElseThrow());
      return new IOException(cause.getMessage(), cause);
    }
  }
}
