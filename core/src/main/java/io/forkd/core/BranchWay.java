package io.forkd.core;

/** How it is found what a sandbox writes while it is being copied; from the best to none. */
public enum BranchWay {
  /** Asynchronous write protection, by a userfaultfd the VMM opens when it is restored. */
  USERFAULTFD,
  /** The kernel's soft-dirty marks, for x86 before Linux 6.7. */
  SOFT_DIRTY,
  /** The VMM's own, which costs reading all of the guest's memory. */
  MIGRATION,
  /** Not at all: it writes nothing, because it is paused. By the operator's choice only. */
  PAUSED;

  /** What a branch taken that way is. */
  public BranchMode mode() {
    return this == PAUSED ? BranchMode.DIFF : BranchMode.LIVE;
  }
}
