package io.forkd.cli;

import io.forkd.base.Locations;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/**
 * The surroundings of one command.
 *
 * @param home the folder forkd is installed in, with {@code recipes/} and {@code packaging/}
 */
record Context(Map<String, String> env, Locations locations, Path home, Terminal terminal) {
  static Context ofProcess() {
    Map<String, String> env = System.getenv();
    return new Context(
        env,
        Locations.of(env, isRoot()),
        Path.of(System.getProperty("forkd.home", ".")).toAbsolutePath().normalize(),
        Terminal.ofProcess(env));
  }

  Optional<String> variable(String name) {
    return Optional.ofNullable(env.get(name)).filter(value -> !value.isBlank());
  }

  Path recipes() {
    return home.resolve("recipes");
  }

  static boolean isRoot() {
    try {
      return Integer.valueOf(0).equals(Files.getAttribute(Path.of("/proc/self"), "unix:uid"));
    } catch (IOException e) {
      return false;
    }
  }
}
