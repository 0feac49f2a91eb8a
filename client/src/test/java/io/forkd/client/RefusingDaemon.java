package io.forkd.client;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;

/** A daemon that takes a megabyte of the first request, says that its disk is full and hangs up. */
final class RefusingDaemon implements AutoCloseable {
  private static final int ENOUGH = 1 << 20;

  private final Path socket;
  private final ServerSocketChannel server;

  RefusingDaemon() throws IOException {
    socket = Files.createTempFile(Path.of("/tmp"), "forkd-refuse", ".sock");
    Files.delete(socket);
    server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
    server.bind(UnixDomainSocketAddress.of(socket));
    Thread.ofVirtual().start(this::serve);
  }

  Endpoint endpoint() {
    return Endpoint.unix(socket);
  }

  private void serve() {
    try (SocketChannel channel = server.accept()) {
      for (int taken = 0; taken < ENOUGH; ) {
        taken += channel.read(ByteBuffer.allocate(64 << 10));
      }
      String refusal = FakeDaemon.reply(507, "", "{\"error\":\"The disk is full.\"}");
      channel.write(ByteBuffer.wrap(refusal.getBytes(UTF_8)));
    } catch (IOException e) {
      return;
    }
  }

  @Override
  public void close() throws IOException {
    server.close();
    Files.delete(socket);
  }
}
