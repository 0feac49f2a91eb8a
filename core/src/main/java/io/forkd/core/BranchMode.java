package io.forkd.core;

/** How a branch is taken. */
public enum BranchMode {
  /** The delta is copied while the sandbox is paused, and kept as a snapshot without a parent. */
  FULL,
  /** The delta is copied while the sandbox is paused. */
  DIFF,
  /** Most of the delta is copied while the sandbox runs; the pause does not depend on its size. */
  LIVE
}
