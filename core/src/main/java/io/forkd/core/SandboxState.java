package io.forkd.core;

/** What a sandbox is doing. */
public enum SandboxState {
  RUNNING,
  /** Its memory is on disk and it has no process. */
  PAUSED
}
