package io.forkd.server;

import io.forkd.base.ForkdException;
import io.forkd.base.Locations;
import io.forkd.base.Printable;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** What the daemon was told on its command line. */
record DaemonOptions(
    Path socket, Optional<InetSocketAddress> listen, Optional<Path> tokenFile, Path recipes) {
  static final String USAGE =
      "Usage: [--socket PATH] [--listen HOST:PORT] [--token-file FILE] [--recipes DIR]";

  private static final Set<String> NAMES =
      Set.of("--socket", "--listen", "--token-file", "--recipes");

  static DaemonOptions parse(List<String> args, Locations locations) {
    Map<String, String> values = values(args);
    DaemonOptions options =
        new DaemonOptions(
            path(values, "--socket").orElseGet(locations::socket),
            Optional.ofNullable(values.get("--listen")).map(ListenAddress::parse),
            path(values, "--token-file"),
            path(values, "--recipes").orElseGet(() -> locations.data().resolve("recipes")));
    options.refuseOpenDoor();
    return options;
  }

  private void refuseOpenDoor() {
    if (tokenFile.isEmpty() && listen.isPresent() && !ListenAddress.isLoopback(listen.get())) {
      throw ForkdException.badRequest(
          "--listen %s is reachable from other hosts: give --token-file too, or listen on"
              + " 127.0.0.1.",
          listen.get());
    }
  }

  private static Map<String, String> values(List<String> args) {
    Map<String, String> values = new HashMap<>();
    for (int i = 0; i < args.size(); i += 2) {
      String name = args.get(i);
      if (!NAMES.contains(name)) {
        throw ForkdException.badRequest("Unknown option %s. %s", Printable.shorten(name), USAGE);
      }
      if (i + 1 == args.size() || args.get(i + 1).isEmpty()) {
        throw ForkdException.badRequest("%s needs a value. %s", name, USAGE);
      }
      if (values.put(name, args.get(i + 1)) != null) {
        throw ForkdException.badRequest("%s is given twice. %s", name, USAGE);
      }
    }
    return values;
  }

  private static Optional<Path> path(Map<String, String> values, String name) {
    return Optional.ofNullable(values.get(name))
        .map(text -> Path.of(text).toAbsolutePath().normalize());
  }
}
