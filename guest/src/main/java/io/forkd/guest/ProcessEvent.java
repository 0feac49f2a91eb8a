package io.forkd.guest;

/** Something a process did. */
public sealed interface ProcessEvent {
  /** Where output was written to. */
  enum Channel {
    STDOUT,
    STDERR,
    TERMINAL
  }

  /** It wrote something, at most 32 KiB at a time. */
  record Output(Channel channel, byte[] bytes) implements ProcessEvent {}

  /** It ended, and all its output has been told. */
  record Ended(ProcessEnd how) implements ProcessEvent {}
}
