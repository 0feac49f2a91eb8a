package io.forkd.guest;

/** Which process is meant. */
public sealed interface ProcessRef {
  /** The one with this number in the guest. */
  record Pid(long pid) implements ProcessRef {}

  /** The newest that was started with this tag. */
  record Tagged(String tag) implements ProcessRef {}
}
