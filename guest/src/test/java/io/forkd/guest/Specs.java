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

  static ProcessSpec in(ProcessSpec spec, String cwd) {
    return new ProcessSpec(
        spec.args(),
        spec.env(),
        Optional.of(cwd),
        spec.user(),
        spec.stdin(),
        spec.terminal(),
        spec.tag(),
        spec.timeout());
  }

  static ProcessSpec as(ProcessSpec spec, String user) {
    return new ProcessSpec(
        spec.args(),
        spec.env(),
        spec.cwd(),
        Optional.of(user),
        spec.stdin(),
        spec.terminal(),
        spec.tag(),
        spec.timeout());
  }

  static ProcessSpec with(ProcessSpec spec, Map<String, String> env) {
    return new ProcessSpec(
        spec.args(),
        env,
        spec.cwd(),
        spec.user(),
        spec.stdin(),
        spec.terminal(),
        spec.tag(),
        spec.timeout());
  }

  static ProcessSpec tagged(ProcessSpec spec, String tag) {
    return new ProcessSpec(
        spec.args(),
        spec.env(),
        spec.cwd(),
        spec.user(),
        spec.stdin(),
        spec.terminal(),
        Optional.of(tag),
        spec.timeout());
  }

  static ProcessSpec within(ProcessSpec spec, Duration timeout) {
    return new ProcessSpec(
        spec.args(),
        spec.env(),
        spec.cwd(),
        spec.user(),
        spec.stdin(),
        spec.terminal(),
        spec.tag(),
        Optional.of(timeout));
  }
}
