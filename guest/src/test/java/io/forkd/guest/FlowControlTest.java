package io.forkd.guest;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A host that reads slowly holds up the process it reads from and nothing else. */
@Timeout(120)
class FlowControlTest {
  private static final int TOTAL = 8_000_000;

  private final Cobs.Decoder decoder = new Cobs.Decoder(Frame.MAX_FRAME);
  private final ByteBuffer bytes = ByteBuffer.allocate(65536).limit(0);

  @Test
  void sendsNoMoreThanTheWindowAndAnswersOthersMeanwhile() throws Exception {
    try (HostAgent host = HostAgent.start()) {
      try (SocketChannel channel = SocketChannel.open(UnixDomainSocketAddress.of(host.socket()))) {
        channel.write(ByteBuffer.allocate(1));
        send(channel, Protocol.HELLO, 0, new Payload().u16(1).i64(1));
        send(channel, Protocol.OPEN, 1, head());
        long received = 0;
        while (received < Protocol.INITIAL_WINDOW) {
          received += dataIn(next(channel));
        }
        assertThat(received).isEqualTo(Protocol.INITIAL_WINDOW);
        send(channel, Protocol.PING, 0, new Payload().i64(42));
        assertThat(next(channel).type()).isEqualTo(Protocol.PONG);
        while (received < TOTAL) {
          send(channel, Protocol.WINDOW, 1, new Payload().i32(100_000));
          long wanted = Math.min(TOTAL, received + 100_000);
          while (received < wanted) {
            received += dataIn(next(channel));
          }
          assertThat(received).isEqualTo(wanted);
        }
        assertThat(next(channel).type()).isEqualTo(Protocol.RESULT);
      }
      host.assertCleanExit();
    }
  }

  private static Payload head() {
    return new Payload()
        .u8(Protocol.KIND_EXEC)
        .u8(0)
        .texts(List.of("head", "-c", Integer.toString(TOTAL), "/dev/zero"))
        .texts(List.of())
        .text("");
  }

  private static int dataIn(Frame frame) {
    return frame.type() == Protocol.DATA ? frame.payload().length : 0;
  }

  private static void send(SocketChannel channel, int type, int stream, Payload payload)
      throws IOException {
    channel.write(ByteBuffer.wrap(new Frame(type, 0, stream, payload.toByteArray()).encode()));
  }

  private Frame next(SocketChannel channel) throws IOException, NonsenseException {
    while (bytes.hasRemaining() || fill(channel)) {
      if (decoder.take(bytes.get()) == Cobs.Event.FRAME) {
        return Frame.parse(decoder.frame());
      }
    }
    throw new AssertionError("the agent hung up");
  }

  private boolean fill(SocketChannel channel) throws IOException {
    boolean more = channel.read(bytes.clear()) > 0;
    bytes.flip();
    return more;
  }
}
