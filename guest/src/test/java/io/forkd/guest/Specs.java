package io.forkd.guest;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Programs to start in tests. */
final class Specs {
  private Specs() {}

  static ProcessSpec sh(String script) {
    return of(List.of("sh", "-c", script), false);
  }

  static ProcessSpec withInput(String script) {
    return of(List.of("sh", "-c", script), true);
  }

  static ProcessSpec inTerminal(String script, int columns, int rows) {
    return new ProcessSpec(
        List.of("sh", "-c", script),
        Map.of(),
        Optional.empty(),
        Optional.empty(),
        true,
        Optional.of(new TerminalSize(columns, rows)),
        Optional.empty(),
        Optional.empty());
  }

  static ProcessSpec of(List<String> args, boolean stdin) {
    return new ProcessSpec(
        args,
        Map.of(),
        Optional.empty(),
        Optional.empty(),
        stdin,
        Optional.empty(),
        Optional.empty(),
        Optional.empty());
  }

  static ProcessSpec in(ProcessSpec it, String cwd) {
    return copy(it, it.env(), Optional.of(cwd), it.user(), it.tag(), it.timeout());
  }

  static ProcessSpec as(ProcessSpec it, String user) {
    return copy(it, it.env(), it.cwd(), Optional.of(user), it.tag(), it.timeout());
  }

  static ProcessSpec with(ProcessSpec it, Map<String, String> env) {
    return copy(it, env, it.cwd(), it.user(), it.tag(), it.timeout());
  }

  static ProcessSpec tagged(ProcessSpec it, String tag) {
    return copy(it, it.env(), it.cwd(), it.user(), Optional.of(tag), it.timeout());
  }

  static ProcessSpec within(ProcessSpec it, Duration timeout) {
    return copy(it, it.env(), it.cwd(), it.user(), it.tag(), Optional.of(timeout));
  }

  private static ProcessSpec copy(
      ProcessSpec it,
      Map<String, String> env,
      Optional<String> cwd,
      Optional<String> user,
      Optional<String> tag,
      Optional<Duration> timeout) {
    return new ProcessSpec(it.args(), env, cwd, user, it.stdin(), it.terminal(), tag, timeout);
  }
}
