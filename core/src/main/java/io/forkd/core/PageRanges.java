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

  /** What of a is not in b. */
  static List<PageRange> minus(List<PageRange> a, List<PageRange> b) {
    List<PageRange> rest = new ArrayList<>();
    int j = 0;
    for (PageRange range : a) {
      long from = range.offset();
      while (j < b.size() && b.get(j).end() <= from) {
        j++;
      }
      for (int k = j; k < b.size() && b.get(k).offset() < range.end(); k++) {
        if (b.get(k).offset() > from) {
          rest.add(new PageRange(from, b.get(k).offset() - from));
        }
        from = Math.max(from, b.get(k).end());
      }
      if (from < range.end()) {
        rest.add(new PageRange(from, range.end() - from));
      }
    }
    return rest;
  }
}
