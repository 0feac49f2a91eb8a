package io.forkd.linux;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The state of another process's pages: which it has written, which are still the file's. */
public final class PageMap implements AutoCloseable {
  /** Bits of PAGE_IS_* in linux/fs.h. */
  static final long WRITTEN = 1 << 1;

  static final long FILE = 1 << 2;
  static final long PRESENT = 1 << 3;
  static final long SWAPPED = 1 << 4;

  /** _IOWR('f', 16, struct pm_scan_arg). */
  static final long PAGEMAP_SCAN = 0xc0606610L;

  static final int ARGUMENT_SIZE = 96;
  static final int REGION_SIZE = 24;
  private static final long WP_MATCHING = 1;
  private static final long CHECK_WPASYNC = 2;
  private static final int REGIONS = 4096;
  private static final long HOST_PAGE = ProcessCalls.sysconf(ProcessCalls.SC_PAGESIZE);

  private final Fd pagemap;

  private PageMap(Fd pagemap) {
    this.pagemap = pagemap;
  }

  public static PageMap open(long pid) {
    return new PageMap(HostFiles.open(Path.of("/proc/" + pid + "/pagemap"), OpenFlag.READ));
  }

  /** What to look for: at least one of these, none of those. */
  record Query(long anyOf, long noneOf, long flags) {}

  /** Pages of a private mapping the process has written: no longer the file's. */
  public List<PageRange> written(MemoryArea area) {
    try {
      return scan(area, new Query(PRESENT | SWAPPED, FILE, 0));
    } catch (LinuxException e) {
      if (e.errno() != Errno.ENOTTY && e.errno() != Errno.EINVAL) {
        throw e;
      }
      return writtenByReading(area); // a kernel before 6.7
    }
  }

  /**
   * Pages written since they were write-protected through a userfaultfd with WP_ASYNC.
   *
   * @param protectAgain whether to protect what is returned, in the same step
   */
  public List<PageRange> writtenSinceProtected(MemoryArea area, boolean protectAgain) {
    return scan(area, new Query(WRITTEN, 0, CHECK_WPASYNC | (protectAgain ? WP_MATCHING : 0)));
  }

  List<PageRange> scan(MemoryArea area, Query query) {
    List<PageRange> found = new ArrayList<>();
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment regions = arena.allocate((long) REGIONS * REGION_SIZE, Long.BYTES);
      MemorySegment argument = arena.allocate(ARGUMENT_SIZE, Long.BYTES);
      long from = area.start();
      while (from < area.end()) {
        fill(argument, from, area.end(), regions, query);
        // SAFETY: the argument is a whole pm_scan_arg, and vec_len is what the vector has room for.
        int count = FileCalls.ioctl(pagemap.number(), "PAGEMAP_SCAN", PAGEMAP_SCAN, argument);
        long reached = from;
        for (int i = 0; i < count; i++) {
          long start = regions.get(JAVA_LONG, (long) i * REGION_SIZE);
          reached = regions.get(JAVA_LONG, (long) i * REGION_SIZE + 8);
          append(found, start - area.start(), reached - start);
        }
        // walk_end alone is not to be trusted: kernels leave it at an earlier point when the last
        // of their internal rounds runs to the end, and pages would be reported twice.
        from = count < REGIONS ? area.end() : Math.max(reached, argument.get(JAVA_LONG, 32));
      }
    }
    return found;
  }

  private static void fill(
      MemorySegment argument, long start, long end, MemorySegment regions, Query query) {
    long[] fields = {
      ARGUMENT_SIZE,
      query.flags(),
      start,
      end,
      0,
      regions.address(),
      REGIONS,
      0,
      query.noneOf(),
      query.noneOf(),
      query.anyOf(),
      0
    };
    for (int i = 0; i < fields.length; i++) {
      argument.setAtIndex(JAVA_LONG, i, fields[i]);
    }
  }

  private static void append(List<PageRange> found, long offset, long length) {
    if (!found.isEmpty() && found.getLast().end() == offset) {
      PageRange last = found.removeLast();
      found.add(new PageRange(last.offset(), last.length() + length));
    } else {
      found.add(new PageRange(offset, length));
    }
  }

  /** From the eight bytes the kernel shows per page: bit 63 present, 62 swapped, 61 the file's. */
  List<PageRange> writtenByReading(MemoryArea area) {
    List<PageRange> found = new ArrayList<>();
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment entries = arena.allocate(JAVA_LONG, 64 << 10);
      long pages = area.size() / HOST_PAGE;
      for (long page = 0; page < pages; page += 64 << 10) {
        long count = Math.min(64 << 10, pages - page);
        FileIo.readFully(
            pagemap.number(),
            entries.asSlice(0, count * Long.BYTES),
            (area.start() / HOST_PAGE + page) * Long.BYTES);
        for (long i = 0; i < count; i++) {
          long entry = entries.getAtIndex(JAVA_LONG, i);
          boolean mapped = entry >>> 62 != 0;
          boolean ofFile = (entry >>> 61 & 1) != 0;
          if (mapped && !ofFile) {
            append(found, (page + i) * HOST_PAGE, HOST_PAGE);
          }
        }
      }
    }
    return found;
  }

  @Override
  public void close() {
    pagemap.close();
  }
}
