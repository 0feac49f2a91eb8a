package io.forkd.linux;

import java.nio.file.Path;
import java.util.EnumSet;
import java.util.Set;

/** Copies of files that share their blocks until one of them is written (XFS, btrfs). */
public final class Reflink {
  /** _IOW(0x94, 9, int) of linux/fs.h. */
  static final long FICLONE = 0x40049409L;

  private static final Set<Errno> UNSUPPORTED =
      EnumSet.of(Errno.EOPNOTSUPP, Errno.EXDEV, Errno.EINVAL, Errno.ENOTTY, Errno.ENOSYS);

  private Reflink() {}

  /**
   * Makes {@code to} a clone of {@code from}.
   *
   * @return false when the file system cannot; {@code to} is then unchanged
   */
  public static boolean tryClone(Fd from, Fd to) {
    int result = FileCalls.tryIoctl(to.number(), FICLONE, from.number());
    if (result >= 0) {
      return true;
    }
    if (UNSUPPORTED.contains(Errno.of(-result))) {
      return false;
    }
    throw new LinuxException(
        "ioctl", LinuxException.texts(to.number(), "FICLONE", from.number()), -result);
  }

  /** Whether files in a directory can be cloned, by cloning an unnamed one. */
  public static boolean supportedIn(Path directory) {
    try (Fd from = HostFiles.open(directory, OpenFlag.READ_WRITE, OpenFlag.TEMPORARY);
        Fd to = HostFiles.open(directory, OpenFlag.READ_WRITE, OpenFlag.TEMPORARY)) {
      FileIo.truncate(from, PageScan.PAGE);
      return tryClone(from, to);
    } catch (LinuxException e) {
      if (e.errno() == Errno.EOPNOTSUPP || e.errno() == Errno.EISDIR) {
        return false; // no unnamed files here; every file system with reflinks has them
      }
      throw e;
    }
  }
}
