package io.forkd.server;

import io.forkd.base.ForkdException;
import io.forkd.base.Locations;
import io.forkd.core.Policy;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * How the daemon is to run.
 *
 * @param settings all it was told, for parts that have options of their own
 */
record DaemonOptions(
    Path socket,
    Optional<InetSocketAddress> listen,
    Optional<Path> tokenFile,
    Path recipes,
    Policy policy,
    DaemonSettings settings) {

  static DaemonOptions parse(List<String> args, Map<String, String> env, Locations locations) {
    DaemonSettings settings =
        DaemonSettings.read(args, env, locations.data().resolve("daemon.toml"));
    DaemonOptions options =
        new DaemonOptions(
            settings.path(DaemonOption.SOCKET).orElseGet(locations::socket),
            settings.text(DaemonOption.LISTEN).map(ListenAddress::parse),
            settings.path(DaemonOption.TOKEN_FILE),
            settings
                .path(DaemonOption.RECIPES)
                .orElseGet(() -> locations.data().resolve("recipes")),
            PolicyOptions.read(settings),
            settings);
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
}
