package io.forkd.guest;

import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/** The host's end of a channel, played by a test frame by frame. */
final class RawHost implements AutoCloseable {
  private final Cobs.Decoder decoder = new Cobs.Decoder(Frame.MAX_FRAME);
  private final ByteBuffer bytes = ByteBuffer.allocate(65536).limit(0);
  private final SocketChannel channel;

  /** Connects and greets. */
  RawHost(HostAgent agent) throws IOException {
    channel = SocketChannel.open(UnixDomainSocketAddress.of(agent.socket()));
    channel.write(ByteBuffer.allocate(1));
    send(Protocol.HELLO, 0, new Payload().u16(1).i64(1));
  }

  void send(int type, int stream, Payload payload) throws IOException {
    channel.write(ByteBuffer.wrap(new Frame(type, 0, stream, payload.toByteArray()).encode()));
  }

  Frame next() throws IOException {
    try {
      while (bytes.hasRemaining() || fill()) {
        if (decoder.take(bytes) == Cobs.Event.FRAME) {
          return Frame.parse(decoder.frame());
        }
      }
    } catch (NonsenseException e) {
      throw new AssertionError(e);
    }
    throw new AssertionError("the agent hung up");
  }

  /** The next frame that is no DATA of another stream. */
  Frame nextOf(int stream) throws IOException {
    Frame frame = next();
    while (frame.stream() != stream) {
      frame = next();
    }
    return frame;
  }

  /** Takes DATA until this much of it came and returns how much it was. */
  long takeData(long wanted) throws IOException {
    long received = 0;
    while (received < wanted) {
      Frame frame = next();
      received += frame.type() == Protocol.DATA ? frame.payload().length : 0;
    }
    return received;
  }

  private boolean fill() throws IOException {
    boolean more = channel.read(bytes.clear()) > 0;
    bytes.flip();
    return more;
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}
