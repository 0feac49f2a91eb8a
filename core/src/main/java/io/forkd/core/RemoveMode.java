package io.forkd.core;

/** What removing a snapshot does about the snapshots that depend on it. */
public enum RemoveMode {
  /** Refuse when there are any, naming them, or when sandboxes of it run. */
  SAFE,
  /** Remove them too. */
  CASCADE,
  /** Leave them behind, broken. */
  FORCE
}
