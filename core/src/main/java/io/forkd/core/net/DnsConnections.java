package io.forkd.core.net;

import java.io.DataInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** The TCP connections of one slot's name server: few, and none for long. */
final class DnsConnections implements AutoCloseable {
  private static final int MOST = 8;
  private static final int MOST_QUERIES = 100;
  private static final int LARGEST_QUERY = 4096;
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  private final Resolver resolver;
  private final Set<SocketChannel> open = ConcurrentHashMap.newKeySet();
  private volatile boolean closed;

  DnsConnections(Resolver resolver) {
    this.resolver = resolver;
  }

  /** Takes over a connection, or hangs up when there are too many. */
  void serve(SocketChannel connection) throws IOException {
    if (open.size() >= MOST) {
      connection.close();
      return;
    }
    open.add(connection);
    if (closed) {
      hangUp(connection);
      return;
    }
    Thread.ofVirtual().name("dns-connection").start(() -> answerAll(connection));
  }

  private void answerAll(SocketChannel connection) {
    try (connection) {
      Socket socket = connection.socket();
      socket.setSoTimeout((int) PATIENCE.toMillis());
      DataInputStream in = new DataInputStream(socket.getInputStream());
      for (int i = 0; i < MOST_QUERIES; i++) {
        int length = in.readUnsignedShort();
        if (length > LARGEST_QUERY) {
          return;
        }
        var reply = resolver.answer(in.readNBytes(length), false);
        if (reply.isEmpty()) {
          return;
        }
        byte[] bytes = reply.get();
        ByteBuffer framed = ByteBuffer.allocate(Short.BYTES + bytes.length);
        socket.getOutputStream().write(framed.putShort((short) bytes.length).put(bytes).array());
      }
    } catch (IOException e) {
      Log.NET.trace("a connection of a guest ended: {}", e.toString());
    } finally {
      open.remove(connection);
    }
  }

  @Override
  public void close() {
    closed = true;
    open.forEach(this::hangUp);
  }

  private void hangUp(SocketChannel connection) {
    open.remove(connection);
    try {
      connection.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
