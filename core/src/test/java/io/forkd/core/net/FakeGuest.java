package io.forkd.core.net;

import io.forkd.base.GuestNet;
import io.forkd.linux.Child;
import io.forkd.linux.Fd;
import io.forkd.linux.Netns;
import io.forkd.linux.Signal;
import io.forkd.linux.Spawn;
import io.forkd.linux.Tap;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.StandardProtocolFamily;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.SocketChannel;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A guest without a machine: a network namespace whose Ethernet frames a small process carries to
 * and from the slot's tap, as a VMM would.
 */
final class FakeGuest implements AutoCloseable {
  private static final AtomicInteger COUNT = new AtomicInteger();
  static final int LONG_MS = 10_000;

  /** What a refusal that nobody reports takes; only what must not answer waits so long. */
  static final int SHORT_MS = 1_500;

  private static final String PUMP =
      """
      import os, select
      other = {3: 4, 4: 3}
      while True:
          for fd in select.select([3, 4], [], [])[0]:
              frame = os.read(fd, 70000)
              try:
                  os.write(other[fd], frame)
              except OSError:
                  pass
      """;

  final Netns inside;
  private final Child pump;

  FakeGuest(NetworkSlot slot) {
    inside =
        Netns.create(
            "fkt-guest-%d-%d".formatted(ProcessHandle.current().pid(), COUNT.incrementAndGet()));
    try (Fd eth0 = Tap.open(inside, "eth0");
        Fd tap = slot.openTap()) {
      pump =
          Spawn.of(Spawn.find("python3").orElseThrow(), List.of("-c", PUMP))
              .in(slot.namespaces())
              .descriptor(tap, 3)
              .descriptor(eth0, 4)
              .start();
      Sh.run(
          inside,
          """
          ip link set lo up
          ip link set eth0 address %s up
          ip addr add %s/%d dev eth0
          ip route add default via %s
          """
              .formatted(GuestNet.MAC, GuestNet.ADDRESS, GuestNet.PREFIX, GuestNet.GATEWAY));
    } catch (RuntimeException | Error e) {
      inside.delete();
      throw e;
    }
  }

  long vmmPid() {
    return pump.pid();
  }

  /** An open connection that was greeted, or empty when none could be had. */
  Optional<Connection> connect(String address, int port) throws IOException {
    SocketChannel channel = inside.call(() -> SocketChannel.open(StandardProtocolFamily.INET));
    try {
      channel
          .socket()
          .connect(new InetSocketAddress(InetAddress.ofLiteral(address), port), SHORT_MS);
      channel.socket().setSoTimeout(LONG_MS);
      String greeting = line(channel.socket());
      return Optional.of(new Connection(channel.socket(), greeting));
    } catch (IOException e) {
      channel.close();
      return Optional.empty();
    }
  }

  /** Byte by byte, so that nothing behind the line is taken. */
  private static String line(Socket socket) throws IOException {
    StringBuilder line = new StringBuilder();
    for (int c = socket.getInputStream().read(); c != '\n'; c = socket.getInputStream().read()) {
      if (c < 0) {
        throw new EOFException();
      }
      line.append((char) c);
    }
    return line.toString();
  }

  boolean reaches(String address) throws IOException {
    return reaches(address, 80);
  }

  boolean reaches(String address, int port) throws IOException {
    Optional<Connection> connection = connect(address, port);
    if (connection.isPresent()) {
      connection.get().close();
    }
    return connection.isPresent();
  }

  /** Asks the gateway by UDP; empty when it does not answer. */
  Optional<DnsMessage> ask(String name, int type) throws IOException, DnsFormatException {
    return ask(GuestNet.GATEWAY, DnsBytes.query(name, type), LONG_MS);
  }

  Optional<DnsMessage> ask(String server, byte[] query, int patienceMs)
      throws IOException, DnsFormatException {
    try (DatagramChannel channel =
        inside.call(() -> DatagramChannel.open(StandardProtocolFamily.INET))) {
      DatagramSocket socket = channel.socket();
      socket.connect(new InetSocketAddress(InetAddress.ofLiteral(server), 53));
      socket.send(new DatagramPacket(query, query.length));
      socket.setSoTimeout(patienceMs);
      DatagramPacket packet = new DatagramPacket(new byte[4096], 4096);
      socket.receive(packet);
      return Optional.of(DnsMessage.parse(Arrays.copyOf(packet.getData(), packet.getLength())));
    } catch (SocketTimeoutException e) {
      return Optional.empty();
    }
  }

  DnsMessage askByTcp(byte[] query) throws IOException, DnsFormatException {
    try (SocketChannel channel =
        inside.call(() -> SocketChannel.open(StandardProtocolFamily.INET))) {
      Socket socket = channel.socket();
      socket.connect(new InetSocketAddress(InetAddress.ofLiteral(GuestNet.GATEWAY), 53), LONG_MS);
      socket.setSoTimeout(LONG_MS);
      ByteBuffer framed = ByteBuffer.allocate(2 + query.length).putShort((short) query.length);
      socket.getOutputStream().write(framed.put(query).array());
      DataInputStream in = new DataInputStream(socket.getInputStream());
      return DnsMessage.parse(in.readNBytes(in.readUnsignedShort()));
    }
  }

  List<String> addressesOf(String name) throws IOException, DnsFormatException {
    DnsMessage answer = ask(name, DnsMessage.TYPE_A).orElseThrow();
    return answer.answers().stream()
        .filter(record -> record.type() == DnsMessage.TYPE_A)
        .map(
            record -> {
              try {
                return Ipv4Range.text(answer.address(record));
              } catch (DnsFormatException e) {
                throw new AssertionError(e);
              }
            })
        .toList();
  }

  /** Ends the stand-in for the VMM. */
  void stop() {
    pump.kill(Signal.KILL);
    pump.exit().join();
  }

  @Override
  public void close() {
    stop();
    inside.delete();
  }

  /** An open connection to a server that echoes. */
  record Connection(Socket socket, String greeting) implements AutoCloseable {
    boolean echoes() throws IOException {
      try {
        socket.setSoTimeout(SHORT_MS);
        socket.getOutputStream().write('x');
        return socket.getInputStream().read() == 'x';
      } catch (IOException e) {
        return false;
      }
    }

    @Override
    public void close() throws IOException {
      socket.close();
    }
  }
}
