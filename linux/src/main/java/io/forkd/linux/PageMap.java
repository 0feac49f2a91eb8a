package io.forkd.linux;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongPredicate;

/** The state of another process's pages: which it has written, which are still the file's. */
public final class PageMap implements AutoCloseable {
  /** Bits of PAGE_IS_* in linux/fs.h. */
  static final long WRITTEN = 1 << 1;

  static final long FILE = 1 << 2;
  static final long PRESENT = 1 << 3;
  static final long SWAPPED = 1 << 4;

  /** _IOWR('f', 16, struct pm_scan_arg). */
  static final long PAGEMAP_SCAN = 0xc0606610L;

  static final int SOFT_DIRTY_BIT = 55;
  static final int ARGUMENT_SIZE = 96;
  static final int REGION_SIZE = 24;
  private static final long WP_MATCHING = 1;
  private static final long CHECK_WPASYNC = 2;
  private static final int REGIONS = 4096;
  private static final int ENTRIES = 64 << 10;
  private static final byte[] CLEAR_SOFT_DIRTY = {'4'};
  private static final long HOST_PAGE = ProcessCalls.sysconf(ProcessCalls.SC_PAGESIZE);

  private final long pid;
  private final Fd pagemap;

  private PageMap(long pid, Fd pagemap) {
    this.pid = pid;
    this.pagemap = pagemap;
  }

  public static PageMap open(long pid) {
    return new PageMap(pid, HostFiles.open(Path.of("/proc/" + pid + "/pagemap"), OpenFlag.READ));
  }

  /** What to look for: all of these, at least one of those, none of the last. */
  record Query(long allOf, long anyOf, long noneOf, long flags) {}

  /**
   * What was written of pages known to be the process's own. The kernel has a short way for exactly
   * this question; any other makes it look up every page.
   */
  private static final Query UNPROTECTED = new Query(WRITTEN, 0, 0, CHECK_WPASYNC);

  /** From here on a range of own pages is worth a call of its own. */
  private static final long LONG_RANGE = 256 << 10;

  /**
   * Pages of a private mapping that are the process's own: no longer the file's. A page that became
   * zero again is among them, also when the kernel shows its shared zero page there.
   */
  public List<PageRange> written(MemoryArea area) {
    try {
      return scan(area, new Query(0, PRESENT | SWAPPED, FILE, 0));
    } catch (LinuxException e) {
      if (e.errno() != Errno.ENOTTY && e.errno() != Errno.EINVAL) {
        throw e;
      }
      return writtenByReading(area); // a kernel before 6.7
    }
  }

  /** Whether the page at an offset is the process's own. */
  public boolean isWritten(MemoryArea area, long offset) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment entry = arena.allocate(JAVA_LONG);
      read(area.start() + offset, entry);
      return own(entry.get(JAVA_LONG, 0));
    }
  }

  /**
   * The process's own pages written since they were last protected: all of its own pages at first,
   * and every page it makes its own later. The area must be registered with a userfaultfd for
   * {@link Userfaultfd#enableWriteTracking() write tracking}. Pages still the file's need no
   * protection: writing one makes a new page, which is reported.
   *
   * @param protectAgain whether to protect what is returned, in the same step
   */
  public List<PageRange> writtenSinceProtected(MemoryArea area, boolean protectAgain) {
    long flags = CHECK_WPASYNC | (protectAgain ? WP_MATCHING : 0);
    return scan(area, new Query(WRITTEN, PRESENT | SWAPPED, FILE, flags));
  }

  /**
   * The same without protecting again, in less time, because it is known what is to be expected.
   *
   * @param own pages known to be the process's own and protected before; ascending and disjoint
   */
  public List<PageRange> writtenSinceProtected(MemoryArea area, List<PageRange> own) {
    Query any = new Query(WRITTEN, PRESENT | SWAPPED, FILE, CHECK_WPASYNC);
    List<PageRange> found = new ArrayList<>();
    try (Arena arena = Arena.ofConfined()) {
      Scan scan = new Scan(area, arena, found);
      long from = 0;
      for (PageRange range : own) {
        if (range.length() >= LONG_RANGE) {
          scan.run(from, range.offset(), any);
          scan.run(range.offset(), range.end(), UNPROTECTED);
          from = range.end();
        }
      }
      scan.run(from, area.size(), any);
      scan.requireAlive();
    }
    return found;
  }

  /**
   * The process's own pages written since {@link #clearSoftDirty}: the way of x86 kernels before
   * 6.7. Where {@link SoftDirtyProbe} says no, nothing is ever found.
   */
  public List<PageRange> writtenBySoftDirty(MemoryArea area) {
    return read(area, PageMap::ownAndSoftDirty);
  }

  /** From now on {@link #writtenBySoftDirty} tells what this process writes. */
  public static void clearSoftDirty(long pid) {
    try (Fd file = HostFiles.open(Path.of("/proc/" + pid + "/clear_refs"), OpenFlag.WRITE)) {
      FileIo.pwrite(file, ByteBuffer.wrap(CLEAR_SOFT_DIRTY), 0);
    }
  }

  List<PageRange> scan(MemoryArea area, Query query) {
    List<PageRange> found = new ArrayList<>();
    try (Arena arena = Arena.ofConfined()) {
      Scan scan = new Scan(area, arena, found);
      scan.run(0, area.size(), query);
      scan.requireAlive();
    }
    return found;
  }

  /** Looks through parts of an area, one after the other. */
  private final class Scan {
    private final MemoryArea area;
    private final List<PageRange> found;
    private final MemorySegment regions;
    private final MemorySegment argument;

    Scan(MemoryArea area, Arena arena, List<PageRange> found) {
      this.area = area;
      this.found = found;
      this.regions = arena.allocate((long) REGIONS * REGION_SIZE, Long.BYTES);
      this.argument = arena.allocate(ARGUMENT_SIZE, Long.BYTES);
    }

    void run(long begin, long end, Query query) {
      long from = area.start() + begin;
      long to = area.start() + end;
      while (from < to) {
        fill(argument, from, to, regions, query);
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
        from = count < REGIONS ? to : Math.max(reached, argument.get(JAVA_LONG, 32));
      }
    }

    /** Of a process that has ended the scan finds nothing and calls that a success. */
    void requireAlive() {
      read(area.start(), argument.asSlice(0, Long.BYTES));
    }
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
      query.allOf() | query.noneOf(),
      query.anyOf(),
      query.allOf()
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

  List<PageRange> writtenByReading(MemoryArea area) {
    return read(area, PageMap::own);
  }

  /** The kernel's eight bytes per page: bit 63 present, 62 swapped, 61 the file's. */
  static boolean own(long entry) {
    boolean mapped = entry >>> 62 != 0;
    boolean ofFile = (entry >>> 61 & 1) != 0;
    return mapped && !ofFile;
  }

  static boolean ownAndSoftDirty(long entry) {
    return own(entry) && (entry >>> SOFT_DIRTY_BIT & 1) != 0;
  }

  /** The pages whose entry is of the wanted kind. */
  List<PageRange> read(MemoryArea area, LongPredicate wanted) {
    List<PageRange> found = new ArrayList<>();
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment entries = arena.allocate(JAVA_LONG, ENTRIES);
      long pages = area.size() / HOST_PAGE;
      for (long page = 0; page < pages; page += ENTRIES) {
        long count = Math.min(ENTRIES, pages - page);
        read(area.start() + page * HOST_PAGE, entries.asSlice(0, count * Long.BYTES));
        for (long i = 0; i < count; i++) {
          if (wanted.test(entries.getAtIndex(JAVA_LONG, i))) {
            append(found, (page + i) * HOST_PAGE, HOST_PAGE);
          }
        }
      }
    }
    return found;
  }

  private void read(long address, MemorySegment entries) {
    long read = FileIo.readFully(pagemap.number(), entries, address / HOST_PAGE * Long.BYTES);
    if (read < entries.byteSize()) {
      throw LinuxException.of("pagemap", Errno.ESRCH, "pid " + pid);
    }
  }

  @Override
  public void close() {
    pagemap.close();
  }
}
