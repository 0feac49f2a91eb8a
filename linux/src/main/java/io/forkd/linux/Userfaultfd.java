package io.forkd.linux;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.Set;

/** The kernel's hook into page faults of one process, used here to learn which pages it writes. */
public final class Userfaultfd implements AutoCloseable {
  /** What a kernel may offer: the bits UFFD_FEATURE_* of linux/userfaultfd.h. */
  public enum Feature {
    PAGEFAULT_FLAG_WP(0),
    EVENT_FORK(1),
    EVENT_REMAP(2),
    EVENT_REMOVE(3),
    MISSING_HUGETLBFS(4),
    MISSING_SHMEM(5),
    EVENT_UNMAP(6),
    SIGBUS(7),
    THREAD_ID(8),
    MINOR_HUGETLBFS(9),
    MINOR_SHMEM(10),
    EXACT_ADDRESS(11),
    WP_HUGETLBFS_SHMEM(12),
    WP_UNPOPULATED(13),
    POISON(14),
    WP_ASYNC(15),
    MOVE(16);

    private final int position;

    Feature(int position) {
      this.position = position;
    }

    long bit() {
      return 1L << position;
    }

    static Set<Feature> of(long bits) {
      Set<Feature> features = EnumSet.noneOf(Feature.class);
      for (Feature feature : values()) {
        if ((bits & feature.bit()) != 0) {
          features.add(feature);
        }
      }
      return features;
    }
  }

  /** Unpopulated pages too, and pages of files: guest memory is a private mapping of a memfd. */
  static final Set<Feature> WRITE_TRACKING =
      Set.of(Feature.WP_ASYNC, Feature.WP_UNPOPULATED, Feature.WP_HUGETLBFS_SHMEM);

  static final int USER_MODE_ONLY = 1;
  static final int CLOEXEC_NONBLOCK = 0x80000 | 0x800;
  static final long API = 0xc018aa3fL;
  static final long REGISTER = 0xc020aa00L;
  static final long UNREGISTER = 0x8010aa01L;
  private static final long API_VERSION = 0xaa;
  private static final long MODE_WP = 2;

  private final Fd fd;

  private Userfaultfd(Fd fd) {
    this.fd = fd;
  }

  /** For our own memory. */
  static Userfaultfd create(boolean userModeOnly) {
    int flags = CLOEXEC_NONBLOCK | (userModeOnly ? USER_MODE_ONLY : 0);
    return new Userfaultfd(
        Fd.owning((int) ProcessCalls.syscall("userfaultfd", Arch.host().userfaultfd, flags, 0)));
  }

  /**
   * A userfaultfd that stays open in another process, such as {@link RemoteCalls#openUserfaultfd}
   * leaves there. Closing this one leaves the process's own open and what is registered with it.
   *
   * @throws IllegalStateException when that number is something else in that process
   */
  public static Userfaultfd ofProcess(HostProcess process, int number) {
    Fd fd = process.descriptor(number);
    try {
      requireUserfaultfd(fd, process, number);
      return new Userfaultfd(fd);
    } catch (RuntimeException e) {
      fd.close();
      throw e;
    }
  }

  /** The process is not trusted: what it has under the number may be anything. */
  private static void requireUserfaultfd(Fd fd, HostProcess process, int number) {
    String found;
    try {
      found = Files.readSymbolicLink(Path.of("/proc/self/fd/" + fd.number())).toString();
    } catch (IOException e) {
      throw new UncheckedIOException("cannot tell what %s is".formatted(fd), e);
    }
    if (!found.equals("anon_inode:[userfaultfd]")) {
      throw new IllegalStateException(
          "descriptor %d of %s should be the userfaultfd forkd opened there, but is %s"
              .formatted(number, process, found));
    }
  }

  /**
   * Agrees with the kernel on features; once per descriptor, before anything else.
   *
   * @return all that this kernel offers
   */
  Set<Feature> enable(Set<Feature> features) {
    long bits = features.stream().mapToLong(Feature::bit).sum();
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment api = arena.allocateFrom(JAVA_LONG, API_VERSION, bits, 0);
      // SAFETY: struct uffdio_api is these three words.
      FileCalls.ioctl(fd.number(), "UFFDIO_API", API, api);
      return Feature.of(api.getAtIndex(JAVA_LONG, 1));
    }
  }

  /**
   * Agrees on what {@link PageMap#writtenSinceProtected} needs; once per descriptor. The kernel
   * itself lets a write to a protected page through and notes it, so nobody has to serve faults.
   */
  public void enableWriteTracking() {
    enable(WRITE_TRACKING);
  }

  /** Makes an area's pages ones that can be write-protected; harmless when they are already. */
  public void registerForWriteProtection(MemoryArea area) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment register = arena.allocateFrom(JAVA_LONG, area.start(), area.size(), MODE_WP, 0);
      // SAFETY: struct uffdio_register is these four words; the kernel checks the range.
      FileCalls.ioctl(fd.number(), "UFFDIO_REGISTER", REGISTER, register);
    }
  }

  /** Lifts all protection and forgets the area; harmless when it was not registered. */
  public void unregister(MemoryArea area) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment range = arena.allocateFrom(JAVA_LONG, area.start(), area.size());
      // SAFETY: struct uffdio_range is these two words; the kernel checks the range.
      FileCalls.ioctl(fd.number(), "UFFDIO_UNREGISTER", UNREGISTER, range);
    }
  }

  @Override
  public void close() {
    fd.close();
  }
}
