package io.forkd.linux;

import java.io.EOFException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** Walks a file's pages that are not all zero, skipping holes without reading them. */
public final class PageScan {
  /** The page of snapshots and digests: 4 KiB whatever the host's own page size. */
  public static final int PAGE = 4096;

  private static final int SEEK_DATA = 3;
  private static final int SEEK_HOLE = 4;
  private static final long CHUNK = 1 << 20;

  /** Receives neighbouring pages at once; the segment is valid during the call only. */
  @FunctionalInterface
  interface RunConsumer {
    void run(long offset, MemorySegment pages);
  }

  private final int fd;
  private final long size;
  private final MemorySegment buffer;
  private final MemorySegment zeros;

  private PageScan(int fd, long size, Arena arena) {
    this.fd = fd;
    this.size = size;
    this.buffer = arena.allocate(CHUNK, PAGE);
    this.zeros = arena.allocate(PAGE, PAGE);
  }

  /** Shows every page that holds data to the visitor. */
  public static void visit(Fd file, PageVisitor visitor) {
    forEachRun(file, (offset, pages) -> show(offset, pages, visitor));
  }

  static void show(long offset, MemorySegment pages, PageVisitor visitor) {
    for (long at = 0; at < pages.byteSize(); at += PAGE) {
      visitor.page((offset + at) / PAGE, pages.asSlice(at, PAGE).asByteBuffer().asReadOnlyBuffer());
    }
  }

  static void forEachRun(Fd file, RunConsumer consumer) {
    try (Arena arena = Arena.ofConfined()) {
      PageScan scan = new PageScan(file.number(), FileIo.size(file), arena);
      long position = 0;
      while (position < scan.size) {
        long data = scan.nextData(position);
        long hole = scan.nextHole(data);
        scan.extent(data, hole, consumer);
        position = hole;
      }
    }
  }

  /** Where data begins at or after a position, rounded down to a page; the size when none does. */
  private long nextData(long position) {
    long found = FileCalls.tryLseek(fd, position, SEEK_DATA);
    if (found == -Errno.ENXIO.number()) {
      return size;
    }
    if (found < 0) {
      return onSeekFailure(found, position, SEEK_DATA, position);
    }
    // The extent before may have been rounded up past the start of this one.
    return Math.max(position, Math.min(size, found / PAGE * PAGE));
  }

  private long nextHole(long data) {
    if (data >= size) {
      return size;
    }
    long found = FileCalls.tryLseek(fd, data, SEEK_HOLE);
    if (found < 0) {
      return onSeekFailure(found, data, SEEK_HOLE, size);
    }
    return Math.min(size, (found + PAGE - 1) / PAGE * PAGE);
  }

  private long onSeekFailure(long result, long offset, int whence, long withoutSupport) {
    if (result == -Errno.EINVAL.number()) {
      return withoutSupport;
    }
    throw new LinuxException("lseek", LinuxException.texts(fd, offset, whence), (int) -result);
  }

  private void extent(long from, long to, RunConsumer consumer) {
    for (long at = from; at < to; at += CHUNK) {
      long length = Math.min(CHUNK, to - at);
      long read = FileIo.readFully(fd, buffer.asSlice(0, length), at);
      if (read < length) {
        throw new UncheckedIOException(
            new EOFException(
                "fd %d ended at %d while %d bytes were being read: it shrank meanwhile"
                    .formatted(fd, at + read, size)));
      }
      long padded = (length + PAGE - 1) / PAGE * PAGE;
      buffer.asSlice(length, padded - length).fill((byte) 0);
      runs(at, buffer.asSlice(0, padded), consumer);
    }
  }

  private void runs(long offset, MemorySegment pages, RunConsumer consumer) {
    long start = -1;
    for (long at = 0; at < pages.byteSize(); at += PAGE) {
      boolean zero = MemorySegment.mismatch(pages, at, at + PAGE, zeros, 0, PAGE) < 0;
      if (!zero && start < 0) {
        start = at;
      } else if (zero && start >= 0) {
        consumer.run(offset + start, pages.asSlice(start, at - start));
        start = -1;
      }
    }
    if (start >= 0) {
      consumer.run(offset + start, pages.asSlice(start));
    }
  }
}
