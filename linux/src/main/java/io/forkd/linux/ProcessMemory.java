package io.forkd.linux;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.util.List;

/** Copies pages between a mapping of ours and the memory of another process. */
public final class ProcessMemory {
  private static final FunctionDescriptor TRANSFER =
      FunctionDescriptor.of(JAVA_LONG, JAVA_INT, ADDRESS, JAVA_LONG, ADDRESS, JAVA_LONG, JAVA_LONG);
  private static final MethodHandle READ = Native.bind("process_vm_readv", TRANSFER);
  private static final MethodHandle WRITE = Native.bind("process_vm_writev", TRANSFER);
  private static final int IOVEC = 16;
  private static final int BATCH = 1024;

  private ProcessMemory() {}

  /**
   * Reads ranges of a process one after the other into a mapping.
   *
   * @return the bytes read
   */
  public static long read(long pid, MemoryArea area, List<PageRange> ranges, Mapping into) {
    return transfer("process_vm_readv", pid, area, ranges, into);
  }

  /**
   * Writes a mapping's bytes, one after the other, over ranges of a process.
   *
   * @return the bytes written
   */
  public static long write(long pid, MemoryArea area, List<PageRange> ranges, Mapping from) {
    return transfer("process_vm_writev", pid, area, ranges, from);
  }

  private static long transfer(
      String call, long pid, MemoryArea area, List<PageRange> ranges, Mapping ours) {
    long done = 0;
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment remote = arena.allocate((long) BATCH * IOVEC, Long.BYTES);
      MemorySegment local = arena.allocate(IOVEC, Long.BYTES);
      for (int from = 0; from < ranges.size(); from += BATCH) {
        List<PageRange> batch = ranges.subList(from, Math.min(from + BATCH, ranges.size()));
        long length = fill(remote, area, batch);
        MemorySegment part = ours.segment().asSlice(done, length);
        local.set(JAVA_LONG, 0, part.address());
        local.set(JAVA_LONG, Long.BYTES, length);
        move(call, (int) pid, local, remote, batch.size(), length);
        done += length;
      }
    }
    return done;
  }

  private static long fill(MemorySegment remote, MemoryArea area, List<PageRange> ranges) {
    long length = 0;
    long at = 0;
    for (PageRange range : ranges) {
      if (!area.contains(range)) {
        throw new IllegalArgumentException("%s is not inside %s".formatted(range, area));
      }
      remote.set(JAVA_LONG, at, area.start() + range.offset());
      remote.set(JAVA_LONG, at + Long.BYTES, range.length());
      at += IOVEC;
      length += range.length();
    }
    return length;
  }

  // SAFETY: the local vector lies inside a live mapping (asSlice checked it, and the caller's
  // reference keeps it open); the remote one can only fail with EFAULT.
  private static void move(
      String call, int pid, MemorySegment local, MemorySegment remote, long count, long length) {
    MethodHandle handle = call.equals("process_vm_readv") ? READ : WRITE;
    long moved =
        Native.call(
            call,
            (_, errno) -> (long) handle.invokeExact(errno, pid, local, 1L, remote, count, 0L),
            "pid " + pid,
            count + " ranges",
            length + " bytes");
    if (moved != length) {
      // A transfer stops short only at a page that cannot be accessed.
      throw LinuxException.of(
          call, Errno.EFAULT, "pid " + pid, count + " ranges", moved + " of " + length + " bytes");
    }
  }
}
