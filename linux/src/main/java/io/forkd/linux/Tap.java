package io.forkd.linux;

import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/** Ends of virtual Ethernet wires: what is written to the descriptor arrives at the interface. */
public final class Tap {
  /** _IOW('T', 202, int) of linux/if_tun.h. */
  static final long TUNSETIFF = 0x400454caL;

  /** _IOW('T', 203, int) of linux/if_tun.h. */
  static final long TUNSETPERSIST = 0x400454cbL;

  static final int IFREQ_SIZE = 40;
  static final int FLAGS_OFFSET = 16;
  static final int IFF_TAP = 0x0002;
  static final int IFF_MULTI_QUEUE = 0x0100;
  static final int IFF_NO_PI = 0x1000;

  private static final int LONGEST_NAME = 15;
  private static final Path DEVICE = Path.of("/dev/net/tun");

  private Tap() {}

  /** Makes an interface that stays when nobody has it open. */
  public static void create(Netns netns, String name) {
    try (Fd fd = open(netns, name)) {
      int result = FileCalls.tryIoctl(fd.number(), TUNSETPERSIST, 1L);
      if (result < 0) {
        throw LinuxException.of("ioctl", Errno.of(-result), fd, "TUNSETPERSIST");
      }
    }
  }

  /**
   * A queue of the interface, as a VMM wants it: bare frames. With a virtio-net header before each,
   * a VM's device state could be restored only where there is such a tap too. The interface is made
   * when there is none, and then ends with its last descriptor.
   */
  public static Fd open(Netns netns, String name) {
    try {
      return netns.call(() -> attach(name, IFF_TAP | IFF_NO_PI | IFF_MULTI_QUEUE));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** In the network namespace of the calling thread. */
  static Fd attach(String name, int flags) {
    byte[] bytes = name.getBytes(StandardCharsets.US_ASCII);
    if (bytes.length == 0 || bytes.length > LONGEST_NAME) {
      throw new IllegalArgumentException(
          "'%s' is no interface: a name has 1 to %d characters".formatted(name, LONGEST_NAME));
    }
    Fd tun = HostFiles.open(DEVICE, OpenFlag.READ_WRITE);
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment ifreq = arena.allocate(IFREQ_SIZE, Long.BYTES);
      MemorySegment.copy(MemorySegment.ofArray(bytes), 0, ifreq, 0, bytes.length);
      ifreq.set(JAVA_SHORT, FLAGS_OFFSET, (short) flags);
      // SAFETY: the segment is a whole struct ifreq.
      FileCalls.ioctl(tun.number(), "TUNSETIFF", TUNSETIFF, ifreq);
      return tun;
    } catch (LinuxException e) {
      tun.close();
      throw e;
    }
  }
}
