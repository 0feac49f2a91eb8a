package io.forkd.core.net;

import io.forkd.core.net.DnsMessage.Rcode;
import io.forkd.linux.Netns;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.StandardProtocolFamily;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.DatagramChannel;
import java.nio.channels.ServerSocketChannel;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;

/** A name server of the fake internet, by UDP and TCP. */
final class FakeNames implements AutoCloseable {
  static final long TTL = 5;

  private final DatagramChannel udp;
  private final ServerSocketChannel tcp;
  private final Map<String, List<String>> addresses = new ConcurrentHashMap<>();
  private final Map<String, String> aliases = new ConcurrentHashMap<>();

  /** Whether each answer comes after one with a wrong id. */
  volatile boolean deceiving;

  /** All names anybody asked for, in order. */
  final Queue<String> asked = new ConcurrentLinkedQueue<>();

  FakeNames(Netns where, String address) throws IOException {
    InetSocketAddress at = new InetSocketAddress(InetAddress.ofLiteral(address), 53);
    udp = where.call(() -> DatagramChannel.open(StandardProtocolFamily.INET).bind(at));
    tcp = where.call(() -> ServerSocketChannel.open(StandardProtocolFamily.INET).bind(at));
    Thread.ofVirtual().start(this::serveUdp);
    Thread.ofVirtual().start(this::serveTcp);
  }

  FakeNames addresses(String name, String... of) {
    addresses.put(name, List.of(of));
    return this;
  }

  FakeNames alias(String name, String target) {
    aliases.put(name, target);
    return this;
  }

  private void serveUdp() {
    ByteBuffer room = ByteBuffer.allocate(4096);
    while (true) {
      try {
        SocketAddress asker = udp.receive(room.clear());
        byte[] query = new byte[room.flip().remaining()];
        room.get(query);
        byte[] reply = answer(query, true);
        if (deceiving) {
          udp.send(ByteBuffer.wrap(forged(reply)), asker);
        }
        udp.send(ByteBuffer.wrap(reply), asker);
      } catch (ClosedChannelException e) {
        return;
      } catch (IOException | DnsFormatException e) {
        throw new AssertionError(e);
      }
    }
  }

  private static byte[] forged(byte[] reply) {
    byte[] forged = reply.clone();
    forged[0] ^= 1;
    return forged;
  }

  private void serveTcp() {
    while (true) {
      try (Socket socket = tcp.accept().socket()) {
        DataInputStream in = new DataInputStream(socket.getInputStream());
        byte[] reply = answer(in.readNBytes(in.readUnsignedShort()), false);
        DataOutputStream out = new DataOutputStream(socket.getOutputStream());
        out.writeShort(reply.length);
        out.write(reply);
      } catch (ClosedChannelException e) {
        return;
      } catch (IOException | DnsFormatException e) {
        throw new AssertionError(e);
      }
    }
  }

  private byte[] answer(byte[] bytes, boolean byUdp) throws DnsFormatException {
    DnsMessage query = DnsMessage.parse(bytes);
    DnsName name = query.question().name();
    asked.add(name.text());
    DnsReply reply = new DnsReply(query);
    String target = aliases.get(name.text());
    if (target != null) {
      DnsName next = DnsBytes.name(target);
      reply.alias(name, TTL, next);
      name = next;
    }
    List<String> found = addresses.get(name.text());
    if (found == null) {
      return reply.rcode(Rcode.NO_SUCH_NAME).bytes(byUdp);
    }
    for (String address : found) {
      reply.address(name, TTL, Ipv4Range.parse(address).first());
    }
    return reply.bytes(byUdp);
  }

  @Override
  public void close() throws IOException {
    udp.close();
    tcp.close();
  }
}
