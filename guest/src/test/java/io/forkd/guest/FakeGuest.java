package io.forkd.guest;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** The guest's end of a channel, played by a test. */
final class FakeGuest implements AutoCloseable {
  private final Path folder;
  private final ServerSocketChannel server;
  private final Cobs.Decoder decoder = new Cobs.Decoder(Frame.MAX_FRAME);
  private final Agent agent;
  private final SocketChannel channel;

  FakeGuest() throws IOException {
    folder = Files.createTempDirectory(Path.of("/tmp"), "forkd-fake");
    server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
    server.bind(UnixDomainSocketAddress.of(folder.resolve("s")));
    agent = Agent.open(folder.resolve("s"));
    channel = server.accept();
  }

  /** The host's end, connected to this guest. */
  Agent agent() {
    return agent;
  }

  /** Reads frames up to the host's greeting and returns its nonce. */
  long awaitHello() {
    try {
      Fields fields = new Fields(awaitFrame(Protocol.HELLO).payload());
      int version = fields.u16();
      if (version != Protocol.VERSION) {
        throw new AssertionError("version " + version);
      }
      return fields.i64();
    } catch (NonsenseException e) {
      throw new AssertionError(e);
    }
  }

  Frame awaitFrame(int type) {
    try {
      ByteBuffer one = ByteBuffer.allocate(1);
      while (channel.read(one.clear()) > 0) {
        if (decoder.take(one.flip()) == Cobs.Event.FRAME) {
          Frame frame = Frame.parse(decoder.frame());
          if (frame.type() == type) {
            return frame;
          }
        }
      }
      throw new AssertionError("the host hung up before it sent type " + type);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (NonsenseException e) {
      throw new AssertionError(e);
    }
  }

  void greet(long nonce) {
    send(helloAck(nonce, Protocol.VERSION).encode());
  }

  static Frame helloAck(long nonce, int version) {
    Payload payload = new Payload().i64(nonce).u16(version).text("0").text("fake").text("0").u16(0);
    return new Frame(Protocol.HELLO_ACK, 0, 0, payload.toByteArray());
  }

  /** An answer to IDENTIFY that is right but for the hostname. */
  static Frame identified(Frame question, String hostname) {
    try {
      Fields fields = new Fields(question.payload());
      long token = fields.i64();
      long wall = fields.i64();
      int entropy = fields.text().length();
      Payload payload =
          new Payload()
              .i64(token)
              .i64(wall)
              .i64(0)
              .i32(entropy)
              .u8(1)
              .text(fields.text())
              .text(hostname)
              .text("0".repeat(32))
              .text("boot")
              .text("uuid")
              .texts(List.of());
      return new Frame(Protocol.IDENTIFIED, 0, 0, payload.toByteArray());
    } catch (NonsenseException e) {
      throw new AssertionError(e);
    }
  }

  /** Sends what the host may refuse to take. */
  void send(byte[] wire) {
    try {
      ByteBuffer bytes = ByteBuffer.wrap(wire);
      while (bytes.hasRemaining()) {
        channel.write(bytes);
      }
    } catch (IOException e) {
      // The host has hung up, as it should on a guest like this.
    }
  }

  void sendUntilRefused(byte[] wire) {
    for (int i = 0; i < 1000; i++) {
      send(wire);
    }
  }

  void hangUp() {
    try {
      channel.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() throws IOException {
    agent.close();
    channel.close();
    server.close();
    Files.deleteIfExists(folder.resolve("s"));
    Files.delete(folder);
  }
}
