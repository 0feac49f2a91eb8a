package io.forkd.core.net;

import io.forkd.core.Egress;
import io.forkd.linux.Netns;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.StandardProtocolFamily;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A host and an internet, each a network namespace of the test; nothing outside them is touched.
 *
 * <p>The internet has public addresses, a private one, the metadata address and a name server.
 */
final class FakeHost implements AutoCloseable {
  static final String HOST = "192.0.2.2";
  static final String PUBLIC = "203.0.113.10";
  static final String OTHER_PUBLIC = "203.0.113.20";
  static final String NAME_SERVER = "203.0.113.53";
  static final String PRIVATE = "10.9.9.9";
  static final String METADATA = "169.254.169.254";

  final Netns host;
  final Netns internet;
  final FakeNames names;
  private final List<ServerSocketChannel> servers = new ArrayList<>();

  FakeHost(String name) throws IOException {
    String unique = name + "-" + ProcessHandle.current().pid();
    host = Netns.create("fkt-host-" + unique);
    internet = Netns.create("fkt-inet-" + unique);
    try {
      Sh.run(
          host,
          """
          ip link set lo up
          ip link add eth0 type veth peer name eth0 netns %s
          ip addr add %s/24 dev eth0
          ip link set eth0 up
          ip route add default via 192.0.2.1
          """
              .formatted(internet.path().getFileName(), HOST));
      Sh.run(
          internet,
          """
          ip link set lo up
          ip addr add 192.0.2.1/24 dev eth0
          ip link set eth0 up
          for a in %s %s %s %s %s; do ip addr add $a/32 dev lo; done
          """
              .formatted(PUBLIC, OTHER_PUBLIC, NAME_SERVER, PRIVATE, METADATA));
      names = new FakeNames(internet, NAME_SERVER);
    } catch (IOException | RuntimeException | Error e) {
      host.delete();
      internet.delete();
      throw e;
    }
  }

  NetworkOptions options(Path folder, Egress usual, int spares) throws IOException {
    Path conf =
        Files.writeString(folder.resolve("resolv.conf"), "nameserver " + NAME_SERVER + "\n");
    return new NetworkOptions(usual, spares, new HostNet(Optional.of(host)), conf);
  }

  /** Greets who connects with its address, then echoes. */
  void serve(Netns where, int port) throws IOException {
    ServerSocketChannel server =
        where.call(
            () ->
                ServerSocketChannel.open(StandardProtocolFamily.INET)
                    .bind(new InetSocketAddress(InetAddress.ofLiteral("0.0.0.0"), port)));
    servers.add(server);
    Thread.ofVirtual().start(() -> accept(server));
  }

  private static void accept(ServerSocketChannel server) {
    while (true) {
      try {
        SocketChannel connection = server.accept();
        Thread.ofVirtual().start(() -> echo(connection));
      } catch (ClosedChannelException e) {
        return;
      } catch (IOException e) {
        throw new AssertionError(e);
      }
    }
  }

  private static void echo(SocketChannel connection) {
    try (connection;
        Socket socket = connection.socket()) {
      String from = socket.getInetAddress().getHostAddress() + "\n";
      socket.getOutputStream().write(from.getBytes(StandardCharsets.US_ASCII));
      socket.getInputStream().transferTo(socket.getOutputStream());
    } catch (IOException e) {
      // The client went away.
    }
  }

  @Override
  public void close() throws IOException {
    names.close();
    for (ServerSocketChannel server : servers) {
      server.close();
    }
    host.delete();
    internet.delete();
  }
}
