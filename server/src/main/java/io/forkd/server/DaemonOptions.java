package io.forkd.server;

import io.forkd.base.Locations;
import io.forkd.core.Policy;
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
    Path recipes,
    Optional<LogFormat> logFormat,
    AccessOptions access,
    Policy policy,
    DaemonSettings settings) {

  static DaemonOptions parse(List<String> args, Map<String, String> env, Locations locations) {
    DaemonSettings settings =
        DaemonSettings.read(args, env, locations.data().resolve("daemon.toml"));
    return new DaemonOptions(
        settings.path(DaemonOption.SOCKET).orElseGet(locations::socket),
        settings.path(DaemonOption.RECIPES).orElseGet(() -> locations.data().resolve("recipes")),
        settings.oneOf(DaemonOption.LOG_FORMAT, LogFormat.class),
        AccessOptions.read(settings),
        PolicyOptions.read(settings),
        settings);
  }
}
