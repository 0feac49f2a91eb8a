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
  /** What one call is asked to move at most; the kernel stops short a page below 2 GiB. */
  static final long MOST_AT_ONCE = 1L << 30;

  /** UIO_MAXIOV of linux/uio.h. */
  private static final int BATCH = 1024;

  private static final int IOVEC = 16;

  private static final FunctionDescriptor TRANSFER =
      FunctionDescriptor.of(JAVA_LONG, JAVA_INT, ADDRESS, JAVA_LONG, ADDRESS, JAVA_LONG, JAVA_LONG);

  /** Which way the bytes go. */
  enum Direction {
    READ("process_vm_readv"),
    WRITE("process_vm_writev");

    private final String call;
    private final MethodHandle handle;

    Direction(String call) {
      this.call = call;
      this.handle = Native.bind(call, TRANSFER);
    }
  }

  private final Direction direction;
  private final int pid;
  private final MemorySegment local;
  private final MemorySegment remote;
  private final long mostAtOnce;
  private int count;
  private long length;

  private ProcessMemory(Direction direction, long pid, long mostAtOnce, Arena arena) {
    this.direction = direction;
    this.pid = (int) pid;
    this.mostAtOnce = mostAtOnce;
    this.local = arena.allocate((long) BATCH * IOVEC, Long.BYTES);
    this.remote = arena.allocate((long) BATCH * IOVEC, Long.BYTES);
  }

  /**
   * Reads ranges of a process one after the other into a mapping.
   *
   * @return the bytes read
   */
  public static long read(long pid, MemoryArea area, List<PageRange> ranges, Mapping into) {
    return packed(Direction.READ, pid, area, ranges, into.segment());
  }

  /** Reads all of an area. */
  static void read(long pid, MemoryArea area, MemorySegment into) {
    List<PageRange> all = List.of(new PageRange(0, area.size()));
    packed(Direction.READ, pid, area, all, into);
  }

  /**
   * Writes a mapping's bytes, one after the other, over ranges of a process.
   *
   * @return the bytes written
   */
  public static long write(long pid, MemoryArea area, List<PageRange> ranges, Mapping from) {
    return packed(Direction.WRITE, pid, area, ranges, from.segment());
  }

  /**
   * Reads ranges of a process, each to the same offset of a mapping as large as the area.
   *
   * @return the bytes read
   */
  public static long readInPlace(long pid, MemoryArea area, List<PageRange> ranges, Mapping into) {
    return inPlace(Direction.READ, pid, area, ranges, into, MOST_AT_ONCE);
  }

  /**
   * Writes ranges of a process, each from the same offset of a mapping as large as the area.
   *
   * @return the bytes written
   */
  public static long writeInPlace(long pid, MemoryArea area, List<PageRange> ranges, Mapping from) {
    return inPlace(Direction.WRITE, pid, area, ranges, from, MOST_AT_ONCE);
  }

  static long inPlace(
      Direction direction,
      long pid,
      MemoryArea area,
      List<PageRange> ranges,
      Mapping ours,
      long mostAtOnce) {
    if (ours.size() != area.size()) {
      throw new IllegalArgumentException(
          "a mapping of %d bytes is not the size of %s".formatted(ours.size(), area));
    }
    try (Arena arena = Arena.ofConfined()) {
      return new ProcessMemory(direction, pid, mostAtOnce, arena)
          .move(area, ranges, ours.segment(), true);
    }
  }

  private static long packed(
      Direction direction, long pid, MemoryArea area, List<PageRange> ranges, MemorySegment ours) {
    try (Arena arena = Arena.ofConfined()) {
      return new ProcessMemory(direction, pid, MOST_AT_ONCE, arena).move(area, ranges, ours, false);
    }
  }

  private long move(MemoryArea area, List<PageRange> ranges, MemorySegment ours, boolean inPlace) {
    long done = 0;
    for (PageRange range : ranges) {
      add(area, range, ours, inPlace ? range.offset() : done);
      done += range.length();
    }
    flush();
    return done;
  }

  private void add(MemoryArea area, PageRange range, MemorySegment ours, long at) {
    if (!area.contains(range)) {
      throw new IllegalArgumentException("%s is not inside %s".formatted(range, area));
    }
    long here = ours.asSlice(at, range.length()).address();
    long there = area.start() + range.offset();
    for (long done = 0; done < range.length(); ) {
      if (count == BATCH || length == mostAtOnce) {
        flush();
      }
      long part = Math.min(range.length() - done, mostAtOnce - length);
      vector(local, here + done, part);
      vector(remote, there + done, part);
      count++;
      length += part;
      done += part;
    }
  }

  private void vector(MemorySegment vectors, long address, long bytes) {
    vectors.set(JAVA_LONG, (long) count * IOVEC, address);
    vectors.set(JAVA_LONG, (long) count * IOVEC + Long.BYTES, bytes);
  }

  // SAFETY: the local vectors lie inside live memory (asSlice checked it, and the caller's
  // reference keeps it alive); the remote ones can only fail with EFAULT.
  private void flush() {
    if (count == 0) {
      return;
    }
    MethodHandle handle = direction.handle;
    long vectors = count;
    long moved =
        Native.call(
            direction.call,
            (_, errno) ->
                (long) handle.invokeExact(errno, pid, local, vectors, remote, vectors, 0L),
            "pid " + pid,
            count + " ranges",
            length + " bytes");
    if (moved != length) {
      // A transfer stops short only at a page that cannot be accessed.
      throw LinuxException.of(
          direction.call,
          Errno.EFAULT,
          "pid " + pid,
          count + " ranges",
          moved + " of " + length + " bytes");
    }
    count = 0;
    length = 0;
  }
}
