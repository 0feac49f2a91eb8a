package io.forkd.linux;

import static org.assertj.core.api.Assertions.assertThat;

/** Whether this kernel can track writes, for tests of what it then must do. */
final class Tracking {
  private Tracking() {}

  /** True, or false after having seen that the kernel refuses it and the probe says so. */
  static boolean works() {
    Probes.UserfaultfdSupport support = Probes.userfaultfd();
    if (support.features().containsAll(Userfaultfd.WRITE_TRACKING)) {
      return true;
    }
    assertThat(Probes.liveBranch().works()).isFalse();
    if (support.available()) {
      try (Userfaultfd faults = Userfaultfd.create(true)) {
        assertThat(HostFilesTest.errno(faults::enableWriteTracking)).isEqualTo(Errno.EINVAL);
      }
    }
    System.out.println("writes cannot be tracked here: " + Probes.liveBranch().reason());
    return false;
  }
}
