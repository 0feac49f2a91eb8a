package io.forkd.linux;

import java.nio.file.Path;

/** Calls on paths of the host; none of them follows a symbolic link in the last component. */
public final class HostFiles {
  private static final int DEFAULT_MODE = 0600;

  private HostFiles() {}

  public static Fd open(Path path, OpenFlag... flags) {
    return open(path, DEFAULT_MODE, flags);
  }

  /**
   * Opens or creates a file.
   *
   * @param mode permissions of a file created, before the umask
   */
  public static Fd open(Path path, int mode, OpenFlag... flags) {
    return Fd.owning(FileCalls.open(path.toString(), OpenFlag.bits(flags), mode));
  }

  /** Makes a new, empty file; fails when the name is taken. */
  public static Fd create(Path path, int mode) {
    return open(path, mode, OpenFlag.READ_WRITE, OpenFlag.CREATE, OpenFlag.EXCLUSIVE);
  }

  /** Makes a directory with exactly these permissions, whatever the umask. */
  public static void mkdir(Path path, int mode) {
    FileCalls.mkdir(path.toString(), mode);
    chmod(path, mode);
  }

  public static void chmod(Path path, int mode) {
    try (Fd fd = open(path, OpenFlag.PATH)) {
      if (FileStatus.of(fd).type() == FileStatus.Type.SYMBOLIC_LINK) {
        throw LinuxException.of("chmod", Errno.ELOOP, path, "0%o".formatted(mode));
      }
      // Through /proc, because fchmod refuses a descriptor that only names the file.
      FileCalls.chmod("/proc/self/fd/" + fd.number(), mode);
    }
  }

  /** Changes the owner by number; -1 leaves one of the two as it is. */
  public static void chown(Path path, int uid, int gid) {
    FileCalls.lchown(path.toString(), uid, gid);
  }

  /** Makes the directory's entries (renames, new files) survive a power cut. */
  public static void syncDirectory(Path directory) {
    try (Fd fd = open(directory, OpenFlag.READ, OpenFlag.DIRECTORY)) {
      FileIo.sync(fd);
    }
  }
}
