package io.forkd.core.net;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/** The name servers of a resolv.conf, read anew each time, because they change while we run. */
record ResolvConf(Path file) {
  static final Path USUAL = Path.of("/etc/resolv.conf");
  private static final int PORT = 53;
  private static final int MOST = 3;
  private static final Pattern SPACE = Pattern.compile("\\s+");
  private static final Pattern ADDRESS = Pattern.compile("[0-9.]+|[0-9a-fA-F:.]*:[0-9a-zA-Z:.%]*");

  /** Never empty: without any the C library asks this host, and so do we. */
  List<InetSocketAddress> servers() throws IOException {
    return parse(Files.readString(file));
  }

  static List<InetSocketAddress> parse(String text) throws UnknownHostException {
    List<InetSocketAddress> servers = new ArrayList<>();
    for (String line : text.lines().toList()) {
      List<String> words = List.of(SPACE.split(line.strip(), -1));
      // Only literals: a name would have to be looked up by whom we are looking for.
      if (words.size() > 1
          && words.getFirst().equals("nameserver")
          && ADDRESS.matcher(words.get(1)).matches()
          && servers.size() < MOST) {
        servers.add(new InetSocketAddress(InetAddress.getByName(words.get(1)), PORT));
      }
    }
    if (servers.isEmpty()) {
      servers.add(new InetSocketAddress(InetAddress.getByName("127.0.0.1"), PORT));
    }
    return servers;
  }
}
