package io.forkd.linux;

import java.time.Duration;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * System calls another process is made to make while it is stopped; it needs no help of its own and
 * notices nothing. Only for processes nobody has been given yet: one whose tracer dies in the
 * middle is killed.
 */
public final class RemoteCalls {
  private final HostProcess process;
  private final Ptrace stop;

  private RemoteCalls(HostProcess process, Ptrace stop) {
    this.process = process;
    this.stop = stop;
  }

  /**
   * Stops a process once for all calls of some work, and lets it go on however the work ends. The
   * work runs on the one tracing thread of this program and must do nothing but make its calls.
   *
   * @throws LinuxException with ESRCH when the process ended meanwhile, with ETIMEDOUT when it
   *     could not be stopped or a call did not end
   */
  public static <T extends @Nullable Object> T in(
      HostProcess process, Function<RemoteCalls, T> work) {
    return in(process, Ptrace.PATIENCE, work);
  }

  static <T extends @Nullable Object> T in(
      HostProcess process, Duration patience, Function<RemoteCalls, T> work) {
    return Ptrace.stopped(process, patience, stop -> work.apply(new RemoteCalls(process, stop)));
  }

  /**
   * Opens a userfaultfd for the memory of that process, with {@link
   * Userfaultfd#enableWriteTracking() write tracking} agreed on, and leaves it open there. It
   * serves faults in user mode only, which takes no privilege and is all that write tracking needs.
   *
   * @return its number in that process, for {@link Userfaultfd#ofProcess}
   */
  public int openUserfaultfd() {
    int flags = Userfaultfd.CLOEXEC_NONBLOCK | Userfaultfd.USER_MODE_ONLY;
    int number = (int) stop.call("userfaultfd", Arch.host().userfaultfd, flags);
    try (Userfaultfd ours = Userfaultfd.ofProcess(process, number)) {
      // Here and not by whoever uses it: the kernel agrees on features once per descriptor, and
      // this one is used by many branches and outlives the daemon.
      ours.enableWriteTracking();
      return number;
    } catch (RuntimeException e) {
      closeAfter(e, number);
      throw e;
    }
  }

  private void closeAfter(RuntimeException failure, int descriptor) {
    try {
      close(descriptor);
    } catch (LinuxException e) {
      failure.addSuppressed(e);
    }
  }

  /**
   * Puts a part of a file over a part of that process's memory, copy-on-write.
   *
   * @param descriptor the number under which that process has the file open
   */
  public void mapOver(MemoryArea area, PageRange range, int descriptor, long fileOffset) {
    if (!area.contains(range)) {
      throw new IllegalArgumentException("%s is not inside %s".formatted(range, area));
    }
    long address = area.start() + range.offset();
    // SAFETY: the range lies inside memory of that process which the caller replaces knowingly;
    // nothing outside of it is touched.
    long mapped =
        stop.call(
            "mmap",
            Arch.host().mmap,
            address,
            range.length(),
            MemoryCalls.PROT_READ | MemoryCalls.PROT_WRITE,
            MemoryCalls.MAP_PRIVATE | MemoryCalls.MAP_FIXED,
            descriptor,
            fileOffset);
    if (mapped != address) {
      throw LinuxException.of("mmap", Errno.EFAULT, process, range);
    }
  }

  /** Closes a descriptor of that process. */
  public void close(int descriptor) {
    stop.call("close", Arch.host().close, descriptor);
  }

  /** The number the process itself believes to have; a harmless call to try the way. */
  long getpid() {
    return stop.call("getpid", Arch.host().getpid);
  }
}
