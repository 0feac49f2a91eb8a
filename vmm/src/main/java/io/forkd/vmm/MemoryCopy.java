package io.forkd.vmm;

/** How a copy of a running guest's memory ended. */
public sealed interface MemoryCopy {
  /**
   * All of it was told, and the guest stands still. Pages told more than once may have changed
   * again; all others have not.
   *
   * @param pausedSince when it came to stand, by {@link System#nanoTime}; earlier by as long as it
   *     was stopped before
   */
  record Whole(long pausedSince) implements MemoryCopy {}

  /** It came to nothing, and the guest runs on. */
  record GivenUp(String reason) implements MemoryCopy {}
}
