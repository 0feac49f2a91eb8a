package io.forkd.cli;

/** What the command's exit code means. */
final class ExitCode {
  static final int OK = 0;
  static final int FAILED = 1;
  static final int USAGE = 2;
  static final int UNREACHABLE = 3;

  private ExitCode() {}
}
