package io.forkd.linux;

/** How a process ended. */
public sealed interface ExitStatus {
  /** It called exit. */
  record Exited(int code) implements ExitStatus {
    @Override
    public String toString() {
      return "exit code " + code;
    }
  }

  /** A signal ended it; out of memory shows as 9. */
  record Killed(int signal) implements ExitStatus {
    @Override
    public String toString() {
      return Signal.of(signal).map(name -> "signal " + name).orElse("signal " + signal);
    }
  }

  /** It is gone; only its parent learns how. */
  record Unknown() implements ExitStatus {
    @Override
    public String toString() {
      return "unknown exit status";
    }
  }

  default boolean success() {
    return this instanceof Exited(int code) && code == 0;
  }
}
