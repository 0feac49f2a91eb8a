package io.forkd.client;

import java.util.Locale;

/** How a branch is taken. */
public enum BranchMode {
  /** Copied while the sandbox is paused, and kept as a snapshot without a parent. */
  FULL,
  /** What the sandbox changed is copied while it is paused. */
  DIFF,
  /** Most of what the sandbox changed is copied while it runs; the pause stays short. */
  LIVE;

  /** The mode as the daemon spells it. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
