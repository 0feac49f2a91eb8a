package io.forkd.core;

import io.forkd.linux.Probe;
import io.forkd.linux.Probes;
import io.forkd.linux.SoftDirtyProbe;
import io.forkd.vmm.VirtualMachine;

/**
 * How this host can tell which pages a sandbox writes while it is being copied.
 *
 * @param reason what was found, for people
 */
record LiveTracking(Way way, String reason) {
  /** From the best to none. */
  enum Way {
    /** Asynchronous write protection, by a userfaultfd the VMM opens when it is restored. */
    USERFAULTFD,
    /** The kernel's soft-dirty marks, for x86 before Linux 6.7. */
    SOFT_DIRTY,
    NONE
  }

  static LiveTracking ofHost() {
    return choose(Probes.liveBranch(), SoftDirtyProbe.run());
  }

  static LiveTracking choose(Probe userfaultfd, Probe softDirty) {
    if (userfaultfd.works()) {
      return new LiveTracking(Way.USERFAULTFD, userfaultfd.reason());
    }
    if (softDirty.works()) {
      return new LiveTracking(
          Way.SOFT_DIRTY,
          "soft-dirty: %s (not by userfaultfd: %s)"
              .formatted(softDirty.reason(), userfaultfd.reason()));
    }
    return new LiveTracking(
        Way.NONE,
        "neither userfaultfd (%s) nor soft-dirty (%s)"
            .formatted(userfaultfd.reason(), softDirty.reason()));
  }

  boolean works() {
    return way != Way.NONE;
  }

  /** Whether the sandbox in this VM can be branched live. */
  boolean covers(VirtualMachine vm) {
    return way == Way.SOFT_DIRTY || vm.writeTracker().isPresent();
  }

  boolean needsUserfaultfd() {
    return way == Way.USERFAULTFD;
  }
}
