package io.forkd.linux;

import java.lang.foreign.MemorySegment;

/** Copies files so that the copy occupies only the pages that hold something but zeros. */
public final class SparseCopy {
  private SparseCopy() {}

  /**
   * What a copy did.
   *
   * @param size the length of both files
   * @param pagesWritten the pages the copy occupies
   */
  public record Result(long size, long pagesWritten) {}

  public static Result copy(Fd from, Fd to) {
    return copy(from, to, PageVisitor.NONE);
  }

  /**
   * Copies all of a file into one that holds no data yet, and shows each page copied.
   *
   * @param to an open file without any allocated block; its size becomes that of {@code from}
   */
  public static Result copy(Fd from, Fd to, PageVisitor visitor) {
    if (FileStatus.of(to).allocatedBytes() != 0) {
      throw new IllegalArgumentException(
          "the target of a sparse copy must hold no data: what is a hole in the source would keep it");
    }
    long size = FileIo.size(from);
    FileIo.truncate(to, size);
    long[] written = {0};
    PageScan.forEachRun(
        from,
        (offset, pages) -> {
          MemorySegment inside = pages.asSlice(0, Math.min(pages.byteSize(), size - offset));
          FileIo.writeFully(to.number(), inside, offset);
          written[0] += pages.byteSize() / PageScan.PAGE;
          PageScan.show(offset, pages, visitor);
        });
    return new Result(size, written[0]);
  }
}
