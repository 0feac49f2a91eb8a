package io.forkd.cli;

import org.jspecify.annotations.Nullable;

/** Ends the command with an exit code and a message that names the next step. */
final class CliException extends RuntimeException {
  private final int exitCode;

  CliException(int exitCode, String message) {
    this(exitCode, message, null);
  }

  CliException(int exitCode, String message, @Nullable Throwable cause) {
    super(message, cause);
    this.exitCode = exitCode;
  }

  static CliException failed(String message) {
    return new CliException(ExitCode.FAILED, message);
  }

  static CliException usage(String message) {
    return new CliException(ExitCode.USAGE, message);
  }

  int exitCode() {
    return exitCode;
  }
}
