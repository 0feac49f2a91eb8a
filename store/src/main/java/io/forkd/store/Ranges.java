package io.forkd.store;

import io.forkd.linux.PageRange;
import io.forkd.linux.PageScan;
import java.util.List;
import java.util.Optional;

/** Ranges of a layer: whole pages of 4 KiB, ascending, disjoint, inside the guest's memory. */
final class Ranges {
  private Ranges() {}

  /** What is wrong with a range that follows one that ends at {@code previousEnd}. */
  static Optional<String> problem(PageRange range, long previousEnd, long guestBytes) {
    boolean aligned = range.offset() % PageScan.PAGE == 0 && range.length() % PageScan.PAGE == 0;
    boolean inside =
        range.offset() >= 0
            && range.length() > 0
            && range.length() <= guestBytes
            && range.offset() <= guestBytes - range.length();
    if (aligned && inside && range.offset() >= previousEnd) {
      return Optional.empty();
    }
    return Optional.of(
        "a range of %d bytes at %d after one that ends at %d, in %d bytes of memory"
            .formatted(range.length(), range.offset(), previousEnd, guestBytes));
  }

  static void require(List<PageRange> ranges, long guestBytes) {
    long end = 0;
    for (PageRange range : ranges) {
      Optional<String> problem = problem(range, end, guestBytes);
      if (problem.isPresent()) {
        throw new IllegalArgumentException("not a layer: " + problem.get());
      }
      end = range.end();
    }
  }
}
