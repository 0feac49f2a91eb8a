package io.forkd.client;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A program to run in a sandbox.
 *
 * @param args the program and its arguments
 * @param env variables it has beside those of the sandbox
 * @param cwd where it begins; empty means its user's home
 * @param stdin whether bytes will be sent to it; otherwise its input is at its end
 * @param pty the size of its terminal; empty means that it has none
 * @param tag a name to find it by
 * @param timeout after which it is killed
 */
public record ProcessRequest(
    List<String> args,
    Map<String, String> env,
    Optional<String> cwd,
    Optional<String> user,
    boolean stdin,
    Optional<TerminalSize> pty,
    Optional<String> tag,
    Optional<Duration> timeout) {
  public ProcessRequest {
    args = List.copyOf(args);
    env = Map.copyOf(env);
  }

  /** The usual: no input, no terminal, no limit. */
  public static ProcessRequest of(List<String> args) {
    return new ProcessRequest(
        args,
        Map.of(),
        Optional.empty(),
        Optional.empty(),
        false,
        Optional.empty(),
        Optional.empty(),
        Optional.empty());
  }

  JsonObject toJson() {
    return JsonObject.ofPairs()
        .with("args", args)
        .with("env", Optional.of(env).filter(pairs -> !pairs.isEmpty()))
        .with("cwd", cwd)
        .with("user", user)
        .with("stdin", stdin ? Optional.of(true) : Optional.empty())
        .with("pty", pty.map(TerminalSize::toJson))
        .with("tag", tag)
        .with("timeout_secs", timeout.map(Duration::toSeconds));
  }
}
