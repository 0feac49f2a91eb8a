package io.forkd.server;

import io.forkd.base.ErrorCode;
import io.forkd.base.ForkdException;
import io.forkd.guest.GuestSocket;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

/** Guests whose ports are those of this host's loopback. */
final class FakePorts {
  /** A connection to it is made when {@link #gate} opens. */
  static final int SLOW = 1;

  final CountDownLatch gate = new CountDownLatch(1);
  final List<Connection> connections = new CopyOnWriteArrayList<>();
  private final AtomicInteger open = new AtomicInteger();

  /** How many connections are open. */
  int open() {
    return open.get();
  }

  GuestSocket connect(int port) {
    if (port == SLOW) {
      FakeGuest.await(gate);
    }
    try {
      Connection connection = new Connection(new Socket(InetAddress.getLoopbackAddress(), port));
      connections.add(connection);
      return connection;
    } catch (IOException e) {
      throw new ForkdException(
          ErrorCode.GUEST_FAILED,
          "Nothing listens on port %d. Next: start a server.".formatted(port),
          e);
    }
  }

  /** One connection, which can be asked whether it was closed. */
  final class Connection implements GuestSocket {
    final CountDownLatch closed = new CountDownLatch(1);
    private final Socket socket;

    Connection(Socket socket) {
      this.socket = socket;
      open.incrementAndGet();
    }

    @Override
    public InputStream input() {
      try {
        return socket.getInputStream();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    @Override
    public OutputStream output() {
      try {
        OutputStream out = socket.getOutputStream();
        return new OutputStream() {
          @Override
          public void write(int one) throws IOException {
            out.write(one);
          }

          @Override
          public void write(byte[] source, int offset, int length) throws IOException {
            out.write(source, offset, length);
          }

          @Override
          public void close() throws IOException {
            socket.shutdownOutput();
          }
        };
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    @Override
    public void close() {
      try {
        if (!socket.isClosed()) {
          socket.close();
          open.decrementAndGet();
          closed.countDown();
        }
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }
}
