package io.forkd.base;

/** Receives what long work is doing, one call per step begun. */
@FunctionalInterface
public interface Progress {
  Progress NONE = (step, detail) -> {};

  /**
   * A step has begun; the one before it is done.
   *
   * @param step short stable name for programs, such as {@code rootfs}
   * @param detail a sentence for people
   */
  void begin(String step, String detail);
}
