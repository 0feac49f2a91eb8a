package io.forkd.linux;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.util.List;

/** A range of this process's memory backed by a file or by nothing; every access is checked. */
public final class Mapping implements AutoCloseable {
  private static final VarHandle WORD = ValueLayout.JAVA_LONG.varHandle();
  private static final long HOST_PAGE = ProcessCalls.sysconf(ProcessCalls.SC_PAGESIZE);

  private final Arena arena;
  private final MemorySegment segment;

  private Mapping(long size, int protection, int flags, int fd, long offset) {
    long address = MemoryCalls.mmap(size, protection, flags, fd, offset);
    arena = Arena.ofShared();
    // SAFETY: mmap has just returned this range of exactly this size, nobody else knows it, and
    // the arena unmaps it only after the last access.
    MemorySegment mapped =
        MemorySegment.ofAddress(address).reinterpret(size, arena, MemoryCalls::munmap);
    boolean writable = (protection & MemoryCalls.PROT_WRITE) != 0;
    segment = writable ? mapped : mapped.asReadOnly();
  }

  /** Access beyond the end of a file is a bus error, so a mapping must not reach there. */
  private static int inside(Fd file, long offset, long size) {
    long length = FileIo.size(file);
    if (offset < 0 || size <= 0 || offset > length - size) {
      throw new IllegalArgumentException(
          "cannot map %d bytes at %d of a file of %d bytes".formatted(size, offset, length));
    }
    return file.number();
  }

  /** Writes reach the file and everyone else who maps it. */
  public static Mapping shared(Fd file, long offset, long size) {
    return new Mapping(
        size,
        MemoryCalls.PROT_READ | MemoryCalls.PROT_WRITE,
        MemoryCalls.MAP_SHARED,
        inside(file, offset, size),
        offset);
  }

  /** Writes stay in this mapping: the kernel copies a page when it is first written. */
  public static Mapping copyOnWrite(Fd file, long offset, long size) {
    return new Mapping(
        size,
        MemoryCalls.PROT_READ | MemoryCalls.PROT_WRITE,
        MemoryCalls.MAP_PRIVATE,
        inside(file, offset, size),
        offset);
  }

  /** Code of ours, to be called. */
  static Mapping executable(Fd file, long size) {
    return new Mapping(
        size,
        MemoryCalls.PROT_READ | MemoryCalls.PROT_EXEC,
        MemoryCalls.MAP_PRIVATE,
        inside(file, 0, size),
        0);
  }

  public static Mapping readOnly(Fd file, long offset, long size) {
    return new Mapping(
        size, MemoryCalls.PROT_READ, MemoryCalls.MAP_SHARED, inside(file, offset, size), offset);
  }

  /** The first bytes of something that has no length, such as a perf event. */
  static Mapping ofDevice(Fd device, long size) {
    return new Mapping(size, MemoryCalls.PROT_READ, MemoryCalls.MAP_SHARED, device.number(), 0);
  }

  /** Zeros that belong to no file. */
  public static Mapping anonymous(long size) {
    return new Mapping(
        size,
        MemoryCalls.PROT_READ | MemoryCalls.PROT_WRITE,
        MemoryCalls.MAP_PRIVATE | MemoryCalls.MAP_ANONYMOUS,
        -1,
        0);
  }

  public long size() {
    return segment.byteSize();
  }

  public byte[] read(long offset, int length) {
    return segment.asSlice(offset, length).toArray(ValueLayout.JAVA_BYTE);
  }

  public void write(long offset, byte[] bytes) {
    MemorySegment.copy(bytes, 0, segment, ValueLayout.JAVA_BYTE, offset, bytes.length);
  }

  /**
   * Gives those pages memory of their own now, so that writing them later costs no page fault. What
   * they hold stays as it is.
   */
  public void populate(List<PageRange> ranges) {
    for (PageRange range : ranges) {
      MemorySegment pages = segment.asSlice(range.offset(), range.length());
      try {
        MemoryCalls.madvise(pages, MemoryCalls.MADV_POPULATE_WRITE);
      } catch (LinuxException e) {
        if (e.errno() != Errno.EINVAL) {
          throw e;
        }
        touch(pages); // a kernel before 5.14
      }
    }
  }

  /** Has every page there, as if each had been read: the holes of a file in memory become pages. */
  public void populateForReading() {
    try {
      MemoryCalls.madvise(segment, MemoryCalls.MADV_POPULATE_READ);
    } catch (LinuxException e) {
      if (e.errno() != Errno.EINVAL) {
        throw e;
      }
      look(segment); // a kernel before 5.14
    }
  }

  /** Reads a byte of every page. */
  static long look(MemorySegment pages) {
    long sum = 0;
    for (long at = 0; at < pages.byteSize(); at += HOST_PAGE) {
      sum += pages.get(ValueLayout.JAVA_BYTE, at);
    }
    return sum;
  }

  /** Writes to every page without changing it, also when someone else is writing there. */
  static void touch(MemorySegment pages) {
    for (long at = 0; at < pages.byteSize(); at += HOST_PAGE) {
      WORD.getAndAdd(pages, at, 0L);
    }
  }

  /** Whether a part of this holds the same bytes as a part of another. */
  public boolean samePages(long offset, Mapping other, long otherOffset, long length) {
    return MemorySegment.mismatch(
            segment, offset, offset + length, other.segment, otherOffset, otherOffset + length)
        < 0;
  }

  MemorySegment segment() {
    return segment;
  }

  @Override
  public void close() {
    if (segment.scope().isAlive()) {
      arena.close();
    }
  }
}
