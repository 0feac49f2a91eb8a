package io.forkd.linux;

import java.util.EnumSet;
import java.util.Set;

/** A file that lives in memory only and can be sealed against every change. */
public final class Memfd implements AutoCloseable {
  private static final int MFD_CLOEXEC = 1;
  private static final int MFD_ALLOW_SEALING = 2;
  private static final int MFD_NOEXEC_SEAL = 8;
  private static final int F_ADD_SEALS = 1033;
  private static final int F_GET_SEALS = 1034;
  private static final int LONGEST_NAME = 249;

  /** What a sealed file refuses from then on. */
  public enum Seal {
    SEAL(1),
    SHRINK(2),
    GROW(4),
    WRITE(8),
    FUTURE_WRITE(16),
    EXEC(32);

    final int bit;

    Seal(int bit) {
      this.bit = bit;
    }
  }

  private final Fd fd;
  private final long size;

  private Memfd(Fd fd, long size) {
    this.fd = fd;
    this.size = size;
  }

  /** An all-zero file of this size that occupies no memory yet. */
  public static Memfd create(String name, long size) {
    if (size < 0 || name.length() > LONGEST_NAME) {
      throw new IllegalArgumentException(
          "a memfd needs a size of at least 0 and a name of at most %d characters, not %d and '%s'"
              .formatted(LONGEST_NAME, size, name));
    }
    Fd fd = Fd.owning(createDescriptor(name));
    try {
      FileIo.truncate(fd, size);
    } catch (LinuxException e) {
      fd.close();
      throw e;
    }
    return new Memfd(fd, size);
  }

  private static int createDescriptor(String name) {
    try {
      return FileCalls.memfdCreate(name, MFD_CLOEXEC | MFD_ALLOW_SEALING | MFD_NOEXEC_SEAL);
    } catch (LinuxException e) {
      if (e.errno() != Errno.EINVAL) {
        throw e;
      }
      // Kernels before 6.3 do not know MFD_NOEXEC_SEAL.
      return FileCalls.memfdCreate(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
    }
  }

  /** The descriptor, still owned by this. */
  public Fd fd() {
    return fd;
  }

  public long size() {
    return size;
  }

  /** Freezes content and size for good; fails while a writable shared mapping exists. */
  public void seal() {
    FileCalls.fcntl(
        fd.number(), F_ADD_SEALS, Seal.WRITE.bit | Seal.GROW.bit | Seal.SHRINK.bit | Seal.SEAL.bit);
  }

  public Set<Seal> seals() {
    return seals(fd);
  }

  /** The seals of a descriptor that may have come from elsewhere. */
  public static Set<Seal> seals(Fd fd) {
    int bits = FileCalls.fcntl(fd.number(), F_GET_SEALS, 0);
    Set<Seal> seals = EnumSet.noneOf(Seal.class);
    for (Seal seal : Seal.values()) {
      if ((bits & seal.bit) != 0) {
        seals.add(seal);
      }
    }
    return seals;
  }

  @Override
  public void close() {
    fd.close();
  }
}
