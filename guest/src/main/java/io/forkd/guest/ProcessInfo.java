package io.forkd.guest;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A process that was started through the agent.
 *
 * @param env what it was given beside the sandbox's environment
 * @param end empty while it runs
 */
public record ProcessInfo(
    long pid,
    List<String> args,
    Map<String, String> env,
    String cwd,
    String user,
    Optional<String> tag,
    boolean terminal,
    Instant startedAt,
    Optional<ProcessEnd> end) {
  public ProcessInfo {
    args = List.copyOf(args);
    env = Map.copyOf(env);
  }
}
