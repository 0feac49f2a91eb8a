package io.forkd.core.net;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/** The name servers of a resolv.conf, read anew each time, because they change while we run. */
record ResolvConf(Path file) {
  static final Path USUAL = Path.of("/etc/resolv.conf");
  private static final int PORT = 53;
  private static final int MOST = 3;
  private static final Pattern SPACE = Pattern.compile("\\s+");

  /** Never empty: without any the C library asks this host, and so do we. */
  List<InetSocketAddress> servers() throws IOException {
    return parse(Files.readString(file));
  }

  static List<InetSocketAddress> parse(String text) {
    List<InetSocketAddress> servers = new ArrayList<>();
    for (String line : text.lines().toList()) {
      List<String> words = List.of(SPACE.split(line.strip(), -1));
      if (words.size() > 1 && words.getFirst().equals("nameserver") && servers.size() < MOST) {
        literal(words.get(1)).ifPresent(address -> servers.add(at(address)));
      }
    }
    if (servers.isEmpty()) {
      servers.add(at(InetAddress.ofLiteral("127.0.0.1")));
    }
    return servers;
  }

  /** A name would have to be looked up by whom we are looking for. */
  private static Optional<InetAddress> literal(String word) {
    try {
      return Optional.of(InetAddress.ofLiteral(word));
    } catch (IllegalArgumentException e) {
      return Optional.empty();
    }
  }

  private static InetSocketAddress at(InetAddress address) {
    return new InetSocketAddress(address, PORT);
  }
}
