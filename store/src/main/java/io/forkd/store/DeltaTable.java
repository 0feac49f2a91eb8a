package io.forkd.store;

import io.forkd.linux.Fd;
import io.forkd.linux.FileIo;
import io.forkd.linux.PageRange;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The beginning of a delta file: which pages follow. All numbers are little-endian.
 *
 * <pre>
 *  0  "FKDDELTA"
 *  8  version, bytes of a page: 4 bytes each, and 8 bytes each from here on
 * 16  bytes of guest memory
 * 24  number of ranges
 * 32  offset and length of each range
 *     zeros up to the next multiple of 4096, where the pages begin
 * </pre>
 */
final class DeltaTable {
  static final int VERSION = 1;
  static final int HEADER = 32;
  static final int ENTRY = 16;

  private static final byte[] MAGIC = "FKDDELTA".getBytes(StandardCharsets.US_ASCII);

  /** What is wrong with a delta file. */
  static final class Malformed extends Exception {
    Malformed(String what) {
      super(what);
    }
  }

  private final Fd file;
  private final long length;
  private final ByteBuffer chunk = Pages.chunk().order(ByteOrder.LITTLE_ENDIAN).limit(0);
  private long loaded;

  private DeltaTable(Fd file) {
    this.file = file;
    this.length = FileIo.size(file);
  }

  /** Where the pages begin. */
  static long pagesAt(long ranges) {
    return Pages.roundUp(HEADER + ENTRY * ranges);
  }

  static void write(Fd target, List<PageRange> ranges, long guestBytes) {
    ByteBuffer chunk = Pages.chunk().order(ByteOrder.LITTLE_ENDIAN);
    chunk.put(MAGIC).putInt(VERSION).putInt(Pages.PAGE).putLong(guestBytes).putLong(ranges.size());
    long written = 0;
    for (PageRange range : ranges) {
      if (!chunk.hasRemaining()) {
        written += Pages.flush(target, chunk, written);
      }
      chunk.putLong(range.offset()).putLong(range.length());
    }
    while (chunk.position() % Pages.PAGE != 0) {
      chunk.putLong(0);
    }
    Pages.flush(target, chunk, written);
  }

  /** The ranges of a file that is exactly as long as they say. */
  static List<PageRange> read(Fd file, long guestBytes) throws Malformed {
    return new DeltaTable(file).ranges(guestBytes);
  }

  private List<PageRange> ranges(long guestBytes) throws Malformed {
    long count = header(guestBytes);
    List<PageRange> ranges = new ArrayList<>();
    long bytes = 0;
    long previousEnd = 0;
    for (long i = 0; i < count; i++) {
      PageRange range = new PageRange(next(), next());
      Optional<String> problem = Ranges.problem(range, previousEnd, guestBytes);
      if (problem.isPresent()) {
        throw new Malformed("it lists " + problem.get());
      }
      ranges.add(range);
      previousEnd = range.end();
      bytes += range.length();
    }
    for (long at = HEADER + ENTRY * count; at < pagesAt(count); at += Long.BYTES) {
      if (next() != 0) {
        throw new Malformed("it has something between its table and its pages");
      }
    }
    if (length != pagesAt(count) + bytes) {
      throw new Malformed(
          "it has %d bytes instead of %d".formatted(length, pagesAt(count) + bytes));
    }
    return ranges;
  }

  private long header(long guestBytes) throws Malformed {
    if (next() != ByteBuffer.wrap(MAGIC).order(ByteOrder.LITTLE_ENDIAN).getLong()) {
      throw new Malformed("it is no delta file");
    }
    long kind = next();
    if (kind != ((long) Pages.PAGE << 32 | VERSION)) {
      throw new Malformed(
          "it has version %d and pages of %d bytes, not version %d and pages of %d"
              .formatted((int) kind, kind >>> 32, VERSION, Pages.PAGE));
    }
    long guest = next();
    if (guest != guestBytes) {
      throw new Malformed(
          "it is of a guest with %d bytes of memory instead of %d".formatted(guest, guestBytes));
    }
    long count = next();
    // Each range has at least one page in the file. This also keeps the sums below from
    // overflowing.
    if (count < 0 || count > (length - HEADER) / (ENTRY + Pages.PAGE)) {
      throw new Malformed("%d ranges cannot be in %d bytes".formatted(count, length));
    }
    return count;
  }

  private long next() throws Malformed {
    if (!chunk.hasRemaining()) {
      int wanted = (int) Math.min(Pages.CHUNK, (length - loaded) / Long.BYTES * Long.BYTES);
      chunk.clear().limit(wanted);
      if (wanted == 0 || FileIo.pread(file, chunk, loaded) < wanted) {
        throw new Malformed("it ends after %d bytes, within its table".formatted(length));
      }
      chunk.flip();
      loaded += wanted;
    }
    return chunk.getLong();
  }
}
