package io.forkd.core.net;

import io.forkd.base.ErrorCode;
import io.forkd.base.ForkdException;
import io.forkd.base.GuestNet;
import io.forkd.linux.Netns;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.StandardProtocolFamily;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.DatagramChannel;
import java.nio.channels.ServerSocketChannel;
import java.time.Duration;
import java.util.concurrent.Semaphore;

/**
 * The name server of one slot, at the guest's gateway. Its sockets belong to the slot's network
 * namespace; virtual threads of the daemon serve them.
 */
final class DnsServer implements AutoCloseable {
  private static final int PORT = 53;
  private static final int MOST_AT_ONCE = 32;
  private static final int LARGEST_QUERY = 4096;
  private static final Duration PAUSE = Duration.ofMillis(100);

  private final Resolver resolver;
  private final DatagramChannel udp;
  private final ServerSocketChannel tcp;
  private final DnsConnections connections;
  private final Semaphore turns = new Semaphore(MOST_AT_ONCE);

  private DnsServer(Resolver resolver, DatagramChannel udp, ServerSocketChannel tcp) {
    this.resolver = resolver;
    this.udp = udp;
    this.tcp = tcp;
    this.connections = new DnsConnections(resolver);
  }

  /**
   * Uses sockets once where this process is: their first use may start threads of the JVM, and
   * those that are started inside a namespace stay there.
   */
  static void warmUp() {
    try (DatagramChannel udp = DatagramChannel.open(StandardProtocolFamily.INET);
        ServerSocketChannel tcp = ServerSocketChannel.open(StandardProtocolFamily.INET)) {
      Log.NET.trace("{} and {} can be opened", udp, tcp);
    } catch (IOException e) {
      throw new ForkdException(
          ErrorCode.HOST_FAILED, "could not open sockets: %s.".formatted(e.getMessage()), e);
    }
  }

  /** Serves until it is closed. */
  static DnsServer open(Netns netns, Resolver resolver) {
    try {
      DnsServer server = netns.call(() -> bind(resolver));
      Thread.ofVirtual().name("dns-udp").start(server::serveUdp);
      Thread.ofVirtual().name("dns-tcp").start(server::serveTcp);
      return server;
    } catch (IOException e) {
      throw new ForkdException(
          ErrorCode.HOST_FAILED,
          "could not serve names in %s: %s.".formatted(netns.path(), e.getMessage()),
          e);
    }
  }

  private static DnsServer bind(Resolver resolver) throws IOException {
    InetSocketAddress address =
        new InetSocketAddress(InetAddress.ofLiteral(GuestNet.GATEWAY), PORT);
    DatagramChannel udp = DatagramChannel.open(StandardProtocolFamily.INET);
    try {
      udp.bind(address);
      ServerSocketChannel tcp = ServerSocketChannel.open(StandardProtocolFamily.INET);
      try {
        return new DnsServer(resolver, udp, tcp.bind(address));
      } catch (IOException e) {
        tcp.close();
        throw e;
      }
    } catch (IOException e) {
      udp.close();
      throw e;
    }
  }

  private void serveUdp() {
    ByteBuffer room = ByteBuffer.allocateDirect(LARGEST_QUERY);
    while (udp.isOpen()) {
      try {
        SocketAddress asker = udp.receive(room.clear());
        byte[] query = new byte[room.flip().remaining()];
        room.get(query);
        // Too many at once are dropped: the guest asks again.
        if (turns.tryAcquire()) {
          Thread.ofVirtual().name("dns-query").start(() -> answer(query, asker));
        }
      } catch (ClosedChannelException e) {
        return;
      } catch (IOException e) {
        pauseAfter("a query could not be received", e);
      }
    }
  }

  private void answer(byte[] query, SocketAddress asker) {
    try {
      var reply = resolver.answer(query, true);
      if (reply.isPresent()) {
        udp.send(ByteBuffer.wrap(reply.get()), asker);
      }
    } catch (IOException e) {
      Log.NET.debug("an answer could not be sent: {}", e.toString());
    } finally {
      turns.release();
    }
  }

  private void serveTcp() {
    while (tcp.isOpen()) {
      try {
        connections.serve(tcp.accept());
      } catch (ClosedChannelException e) {
        return;
      } catch (IOException e) {
        pauseAfter("a connection could not be accepted", e);
      }
    }
  }

  /** What fails for want of descriptors would fail again at once. */
  private static void pauseAfter(String what, IOException e) {
    Log.NET.debug("{}: {}", what, e.toString());
    try {
      Thread.sleep(PAUSE);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public void close() {
    try (tcp;
        udp) {
      connections.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
