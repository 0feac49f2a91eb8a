package io.forkd.guest;

/** How a process ended. */
public sealed interface ProcessEnd {
  /** It exited by itself. */
  record Exited(int code) implements ProcessEnd {}

  /**
   * A signal ended it.
   *
   * @param timedOut whether that was because its time was up
   */
  record Signalled(int signal, boolean timedOut) implements ProcessEnd {}
}
