package io.forkd.linux;

/**
 * System calls another process is made to make; it needs no help of its own and notices nothing.
 */
public final class RemoteCalls {
  private static final int MAP_FIXED = 0x10;

  private RemoteCalls() {}

  /** A userfaultfd for the memory of that process, held by us alone. */
  public static Userfaultfd userfaultfd(HostProcess process) {
    return Ptrace.stopped(
        process,
        stop -> {
          Arch arch = Arch.host();
          int there =
              (int) stop.call("userfaultfd", arch.userfaultfd, Userfaultfd.CLOEXEC_NONBLOCK);
          try {
            return Userfaultfd.of(process.descriptor(there));
          } finally {
            stop.call("close", arch.close, there);
          }
        });
  }

  /**
   * Puts a part of a file over a part of that process's memory, copy-on-write.
   *
   * @param descriptor the number under which that process has the file open
   */
  public static void mapOver(
      HostProcess process, MemoryArea area, PageRange range, int descriptor, long fileOffset) {
    if (!area.contains(range)) {
      throw new IllegalArgumentException("%s is not inside %s".formatted(range, area));
    }
    long address = area.start() + range.offset();
    // SAFETY: the range lies inside one mapping of that process which the caller replaces
    // knowingly; nothing outside of it is touched.
    long mapped =
        Ptrace.stopped(
            process,
            stop ->
                stop.call(
                    "mmap",
                    Arch.host().mmap,
                    address,
                    range.length(),
                    MemoryCalls.PROT_READ | MemoryCalls.PROT_WRITE,
                    MemoryCalls.MAP_PRIVATE | MAP_FIXED,
                    descriptor,
                    fileOffset));
    if (mapped != address) {
      throw LinuxException.of("mmap", Errno.EFAULT, process, range);
    }
  }

  /** The number the process itself believes to have; a harmless call to try the way. */
  static long getpid(HostProcess process) {
    return Ptrace.stopped(process, stop -> stop.call("getpid", Arch.host().getpid));
  }
}
