package io.forkd.core;

import io.forkd.linux.PageRange;
import java.util.ArrayList;
import java.util.List;

/** Sets of pages as ascending, disjoint, joined ranges. */
final class PageRanges {
  private PageRanges() {}

  static long bytes(List<PageRange> ranges) {
    return ranges.stream().mapToLong(PageRange::length).sum();
  }

  static List<PageRange> union(List<PageRange> a, List<PageRange> b) {
    List<PageRange> all = new ArrayList<>(a.size() + b.size());
    int i = 0;
    int j = 0;
    while (i < a.size() || j < b.size()) {
      boolean fromA = j == b.size() || (i < a.size() && a.get(i).offset() <= b.get(j).offset());
      join(all, fromA ? a.get(i++) : b.get(j++));
    }
    return all;
  }

  private static void join(List<PageRange> all, PageRange next) {
    if (all.isEmpty() || all.getLast().end() < next.offset()) {
      all.add(next);
    } else if (all.getLast().end() < next.end()) {
      PageRange last = all.removeLast();
      all.add(new PageRange(last.offset(), next.end() - last.offset()));
    }
  }
}
