package io.forkd.vmm;

import io.forkd.base.ErrorCode;
import io.forkd.base.ForkdException;
import java.time.Duration;

/** Looks again and again for something QEMU is to do, but not for ever. */
final class Waiting {
  private static final Duration LOOK_AGAIN = Duration.ofNanos(300_000);

  private final String what;
  private final Duration longest;
  private final long deadline;

  Waiting(String what, Duration longest) {
    this.what = what;
    this.longest = longest;
    this.deadline = System.nanoTime() + longest.toNanos();
  }

  void aMoment() {
    if (System.nanoTime() - deadline > 0) {
      throw new ForkdException(
          ErrorCode.TIMEOUT, "QEMU did not %s within %d s".formatted(what, longest.toSeconds()));
    }
    try {
      Thread.sleep(LOOK_AGAIN);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new ForkdException(ErrorCode.INTERNAL, "interrupted while QEMU was to " + what, e);
    }
  }
}
