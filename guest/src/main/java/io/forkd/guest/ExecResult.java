package io.forkd.guest;

/**
 * How a process in the guest ended and what it wrote.
 *
 * @param exitCode the exit code, or 128 + the signal's number, as a shell would report it
 * @param truncated whether output beyond the limit was dropped
 * @param timedOut whether the process was killed because its time was up
 */
public record ExecResult(
    String stdout, String stderr, int exitCode, boolean truncated, boolean timedOut) {}
