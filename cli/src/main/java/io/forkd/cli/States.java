package io.forkd.cli;

import io.forkd.client.SandboxInfo;

/** How the states of things look. */
final class States {
  private States() {}

  static String text(Terminal terminal, SandboxInfo sandbox) {
    return text(terminal, sandbox.state());
  }

  static String text(Terminal terminal, String state) {
    return switch (state) {
      case "running" -> terminal.green(state);
      case "paused", "suspended" -> terminal.yellow(state);
      case "stale" -> terminal.red(state);
      default -> Visible.name(state);
    };
  }
}
