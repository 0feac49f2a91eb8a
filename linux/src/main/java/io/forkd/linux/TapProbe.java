package io.forkd.linux;

import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;

/** Tries to make a network interface for a virtual machine; it vanishes with its descriptor. */
public final class TapProbe {
  /** _IOW('T', 202, int) of linux/if_tun.h. */
  static final long TUNSETIFF = 0x400454caL;

  static final int IFREQ_SIZE = 40;
  static final int FLAGS_OFFSET = 16;
  private static final short IFF_TAP_NO_PI = 0x1002;

  private TapProbe() {}

  public static Probe run() {
    try (Arena arena = Arena.ofConfined();
        Fd tun = HostFiles.open(Path.of("/dev/net/tun"), OpenFlag.READ_WRITE)) {
      MemorySegment ifreq = arena.allocate(IFREQ_SIZE, Long.BYTES);
      ifreq.setString(0, "fkprobe%d");
      ifreq.set(JAVA_SHORT, FLAGS_OFFSET, IFF_TAP_NO_PI);
      // SAFETY: the segment is a whole struct ifreq.
      FileCalls.ioctl(tun.number(), "TUNSETIFF", TUNSETIFF, ifreq);
      return Probe.yes("tap interfaces can be made");
    } catch (LinuxException e) {
      return Probe.no(e);
    }
  }
}
