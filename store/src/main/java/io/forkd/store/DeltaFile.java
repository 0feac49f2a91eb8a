package io.forkd.store;

import io.forkd.base.ForkdException;
import io.forkd.linux.Fd;
import io.forkd.linux.FileIo;
import io.forkd.linux.FileStatus;
import io.forkd.linux.HostFiles;
import io.forkd.linux.LinuxException;
import io.forkd.linux.Memfd;
import io.forkd.linux.OpenFlag;
import io.forkd.linux.PageDigest;
import io.forkd.linux.PageRange;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * A layer on disk: a {@linkplain DeltaTable table} of its ranges, then their pages one after the
 * other. Its digest is SHA-256 over (page index as 8 bytes big-endian, page bytes) of every page in
 * the ranges, zero pages too, so that it also vouches for the table.
 */
public final class DeltaFile {
  static final String NAME = "memory.delta";

  private DeltaFile() {}

  /**
   * Writes a layer into an empty file.
   *
   * @param sparseMemory the layer's pages at their own offsets
   * @return the digest of its pages
   */
  public static String write(Fd target, Fd sparseMemory, List<PageRange> ranges, long guestBytes) {
    Ranges.require(ranges, guestBytes);
    DeltaTable.write(target, ranges, guestBytes);
    PageDigest digest = new PageDigest();
    ByteBuffer chunk = Pages.chunk();
    long written = DeltaTable.pagesAt(ranges.size());
    for (PageRange range : ranges) {
      for (long at = range.offset(); at < range.end(); ) {
        if (!chunk.hasRemaining()) {
          written += Pages.flush(target, chunk, written);
        }
        ByteBuffer pages = Pages.take(chunk, range.end() - at);
        Pages.read(sparseMemory, pages, at);
        Pages.digest(digest, at, pages);
        at += pages.remaining();
      }
    }
    Pages.flush(target, chunk, written);
    return digest.finish();
  }

  /** The ranges of a delta file, without its pages. */
  public static List<PageRange> ranges(Path file, long guestBytes) {
    return reading(file, open -> List.copyOf(DeltaTable.read(open, guestBytes)));
  }

  /**
   * Reads a layer.
   *
   * @param expectedSha256 the digest {@link #write} gave
   * @param into all zero and of the guest's size; when this fails it may hold some of the pages
   * @return its ranges
   */
  public static List<PageRange> load(
      Path file, long guestBytes, String expectedSha256, Memfd into) {
    if (into.size() != guestBytes || FileStatus.of(into.fd()).allocatedBytes() != 0) {
      throw new IllegalArgumentException(
          "a layer goes into empty memory of %d bytes, not into %d bytes with %d in use"
              .formatted(guestBytes, into.size(), FileStatus.of(into.fd()).allocatedBytes()));
    }
    return reading(
        file,
        open -> {
          List<PageRange> ranges = List.copyOf(DeltaTable.read(open, guestBytes));
          String found = copyPages(open, ranges, into.fd());
          if (!found.equals(expectedSha256)) {
            throw new DeltaTable.Malformed(
                "its pages have changed since it was made (hash %.12s, expected %.12s)"
                    .formatted(found, expectedSha256));
          }
          return ranges;
        });
  }

  private static String copyPages(Fd file, List<PageRange> ranges, Fd into)
      throws DeltaTable.Malformed {
    PageDigest digest = new PageDigest();
    ByteBuffer chunk = Pages.chunk().limit(0);
    long next = DeltaTable.pagesAt(ranges.size());
    for (PageRange range : ranges) {
      for (long at = range.offset(); at < range.end(); ) {
        if (!chunk.hasRemaining()) {
          chunk.clear();
          int read = FileIo.pread(file, chunk, next);
          chunk.flip().limit(read / Pages.PAGE * Pages.PAGE);
          next += chunk.remaining();
        }
        ByteBuffer pages = Pages.take(chunk, range.end() - at);
        if (!pages.hasRemaining()) {
          throw new DeltaTable.Malformed("it ends within its pages");
        }
        Pages.digest(digest, at, pages);
        Pages.writeSparse(into, at, pages);
        at += pages.remaining();
      }
    }
    return digest.finish();
  }

  private interface Reader {
    List<PageRange> read(Fd file) throws DeltaTable.Malformed;
  }

  private static List<PageRange> reading(Path file, Reader reader) {
    try (Fd open = open(file)) {
      FileStatus.Type type = FileStatus.of(open).type();
      if (type != FileStatus.Type.FILE) {
        throw new DeltaTable.Malformed("it is a " + type);
      }
      return reader.read(open);
    } catch (DeltaTable.Malformed e) {
      throw refused(file, "is not what was written: " + e.getMessage());
    }
  }

  private static Fd open(Path file) {
    try {
      // Without waiting: a pipe would hold us until somebody writes into it.
      return HostFiles.open(file, OpenFlag.READ, OpenFlag.NON_BLOCKING);
    } catch (LinuxException e) {
      throw refused(file, "cannot be opened: " + e.getMessage());
    }
  }

  private static ForkdException refused(Path file, String what) {
    String tag =
        Optional.ofNullable(file.toAbsolutePath().getParent())
            .map(Path::getFileName)
            .map(Path::toString)
            .orElse("");
    return ForkdException.conflict(
        "snapshot %s cannot be restored: %s %s. Remove it with `forkd rmi %s` and make it anew.",
        tag, file, what, tag);
  }
}
