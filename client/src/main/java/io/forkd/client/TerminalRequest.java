package io.forkd.client;

import java.util.Optional;

/**
 * A terminal to open in a sandbox.
 *
 * @param command text for a shell; empty means a login shell
 * @param cwd where it begins; empty means its user's home
 * @param term the kind of terminal it is
 */
public record TerminalRequest(
    Optional<String> command,
    TerminalSize size,
    Optional<String> user,
    Optional<String> cwd,
    Optional<String> term) {
  String query() {
    return new Query()
        .with("cmd", command)
        .with("cols", size.columns())
        .with("rows", size.rows())
        .with("user", user)
        .with("cwd", cwd)
        .with("term", term)
        .toString();
  }
}
