package io.forkd.client;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.time.Duration;

/**
 * A Unix socket whose every wait ends by a deadline. Used by one thread at a time. Socket channels
 * have no read timeout of their own, so it is non-blocking and waits in a selector.
 */
final class UnixConnection implements Closeable {
  private static final Duration FRESH = Duration.ofSeconds(5);

  private final SocketChannel channel;
  private final Selector selector;
  private final SelectionKey key;
  private final ByteBuffer input = ByteBuffer.allocate(16 << 10).limit(0);
  private long lastUsed = System.nanoTime();

  private UnixConnection(SocketChannel channel, Selector selector) throws IOException {
    this.channel = channel;
    this.selector = selector;
    key = channel.register(selector, 0);
  }

  /** Connects at once or not at all: a Unix socket has no handshake to wait for. */
  static UnixConnection open(Path socket) throws IOException {
    SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX);
    Selector selector = null;
    try {
      channel.configureBlocking(false);
      channel.connect(UnixDomainSocketAddress.of(socket));
      selector = Selector.open();
      return new UnixConnection(channel, selector);
    } catch (IOException e) {
      channel.close();
      if (selector != null) {
        selector.close();
      }
      throw e;
    }
  }

  /** Whether a request may be sent on it now: recently used, still open and with nothing unread. */
  boolean reusable() {
    try {
      return !input.hasRemaining()
          && System.nanoTime() - lastUsed < FRESH.toNanos()
          && channel.read(ByteBuffer.allocate(1)) == 0;
    } catch (IOException e) {
      return false;
    }
  }

  void used() {
    lastUsed = System.nanoTime();
  }

  void write(ByteBuffer bytes, Deadline deadline) throws IOException {
    while (bytes.hasRemaining()) {
      if (channel.write(bytes) == 0) {
        await(SelectionKey.OP_WRITE, deadline);
      }
    }
  }

  /** What comes on it, as long as the deadline lasts. */
  ByteSource source(Deadline deadline) {
    return new ByteSource() {
      @Override
      public int read(byte[] target, int offset, int length) throws IOException {
        return UnixConnection.this.read(target, offset, length, deadline);
      }

      @Override
      public String readLine(int limit) throws IOException {
        return UnixConnection.this.readLine(limit, deadline);
      }
    };
  }

  private int read(byte[] target, int offset, int length, Deadline deadline) throws IOException {
    if (!input.hasRemaining() && !fill(deadline)) {
      return -1;
    }
    int count = Math.min(length, input.remaining());
    input.get(target, offset, count);
    return count;
  }

  private String readLine(int limit, Deadline deadline) throws IOException {
    ByteArrayOutputStream line = new ByteArrayOutputStream(80);
    while (true) {
      if (!input.hasRemaining() && !fill(deadline)) {
        throw new EOFException("the daemon closed the connection");
      }
      byte next = input.get();
      if (next == '\n') {
        String text = line.toString(ISO_8859_1);
        return text.endsWith("\r") ? text.substring(0, text.length() - 1) : text;
      }
      if (line.size() >= limit) {
        throw new IOException("a header line is longer than " + limit + " bytes");
      }
      line.write(next);
    }
  }

  private boolean fill(Deadline deadline) throws IOException {
    while (true) {
      input.clear();
      int count = channel.read(input);
      input.flip();
      if (count != 0) {
        deadline.signOfLife();
        return count > 0;
      }
      await(SelectionKey.OP_READ, deadline);
    }
  }

  private void await(int operation, Deadline deadline) throws IOException {
    key.interestOps(operation);
    selector.select(deadline.remainingMillis());
    selector.selectedKeys().clear();
    if (Thread.currentThread().isInterrupted()) {
      throw new IOException("interrupted");
    }
  }

  @Override
  public void close() {
    try (selector;
        channel) {
      key.cancel();
    } catch (IOException e) {
      // Nothing is left to lose on a connection that is given up.
      return;
    }
  }
}
