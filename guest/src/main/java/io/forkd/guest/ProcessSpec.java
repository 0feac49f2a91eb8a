package io.forkd.guest;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A program to start.
 *
 * @param env added to the sandbox's environment
 * @param cwd empty means the user's home; relative ones begin there
 * @param user empty means root
 * @param stdin whether its input is written to later; else it reads an end at once
 * @param terminal the size of the terminal it runs in; empty means pipes
 * @param tag a name to find it by
 * @param timeout when its group is killed; empty means never
 */
public record ProcessSpec(
    List<String> args,
    Map<String, String> env,
    Optional<String> cwd,
    Optional<String> user,
    boolean stdin,
    Optional<TerminalSize> terminal,
    Optional<String> tag,
    Optional<Duration> timeout) {
  public ProcessSpec {
    args = List.copyOf(args);
    env = Map.copyOf(env);
  }
}
