package io.forkd.client;

/**
 * How a process in a sandbox ended and what it wrote.
 *
 * @param exitCode its exit code, or 128 + the signal's number
 * @param truncated whether output beyond the daemon's limit was dropped
 * @param timedOut whether it was killed because its time was up
 */
public record ExecOutcome(
    String stdout,
    String stderr,
    int exitCode,
    boolean truncated,
    boolean timedOut,
    JsonObject json) {
  static ExecOutcome from(JsonObject json) {
    return new ExecOutcome(
        json.text("stdout"),
        json.text("stderr"),
        json.integer("exit_code"),
        json.flag("truncated"),
        json.flag("timed_out"),
        json);
  }
}
