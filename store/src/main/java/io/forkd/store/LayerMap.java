package io.forkd.store;

import io.forkd.linux.PageRange;
import java.util.ArrayList;
import java.util.List;

/** Which layer each page comes from when layers lie over each other: the topmost that has it. */
public final class LayerMap {
  private LayerMap() {}

  /** Neighbouring pages that come from one layer, by its number from the bottom. */
  public record Segment(long offset, long end, int layer) {}

  /** The pages any layer has, ascending and disjoint; bottom layer first. */
  public static List<Segment> of(List<List<PageRange>> layers) {
    List<Segment> result = List.of();
    for (int layer = 0; layer < layers.size(); layer++) {
      result = over(result, layers.get(layer), layer);
    }
    return result;
  }

  private static List<Segment> over(List<Segment> lower, List<PageRange> upper, int layer) {
    List<Segment> result = new ArrayList<>();
    int next = 0;
    long done = 0;
    for (PageRange range : upper) {
      next = addBetween(lower, next, done, range.offset(), result);
      result.add(new Segment(range.offset(), range.end(), layer));
      done = range.end();
    }
    addBetween(lower, next, done, Long.MAX_VALUE, result);
    return result;
  }

  /** Adds what the lower ones have there; returns the first of them that goes on afterwards. */
  private static int addBetween(
      List<Segment> lower, int first, long from, long to, List<Segment> result) {
    int next = first;
    while (next < lower.size() && lower.get(next).offset() < to) {
      Segment segment = lower.get(next);
      long start = Math.max(segment.offset(), from);
      long end = Math.min(segment.end(), to);
      if (start < end) {
        result.add(new Segment(start, end, segment.layer()));
      }
      if (segment.end() > to) {
        break;
      }
      next++;
    }
    return next;
  }
}
