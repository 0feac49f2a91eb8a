package io.forkd.core.net;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;

/** A set of addresses, as the fewest ranges in order. */
record Ipv4Set(List<Ipv4Range> ranges) {
  static final Ipv4Set EMPTY = new Ipv4Set(List.of());
  static final Ipv4Set ALL = of(List.of(new Ipv4Range(0, Ipv4Range.HIGHEST)));

  /** Ranges in any order, which may overlap. */
  static Ipv4Set of(Collection<Ipv4Range> ranges) {
    List<Ipv4Range> merged = new ArrayList<>();
    for (Ipv4Range range :
        ranges.stream().sorted(Comparator.comparingLong(Ipv4Range::first)).toList()) {
      if (!merged.isEmpty() && range.first() <= merged.getLast().last() + 1) {
        Ipv4Range before = merged.removeLast();
        merged.add(new Ipv4Range(before.first(), Math.max(before.last(), range.last())));
      } else {
        merged.add(range);
      }
    }
    return new Ipv4Set(List.copyOf(merged));
  }

  static Ipv4Set parse(String... cidrs) {
    return of(List.of(cidrs).stream().map(Ipv4Range::parse).toList());
  }

  boolean contains(long address) {
    return ranges.stream().anyMatch(range -> range.contains(address));
  }

  boolean contains(Ipv4Range other) {
    return ranges.stream().anyMatch(range -> range.contains(other));
  }

  boolean isEmpty() {
    return ranges.isEmpty();
  }

  Ipv4Set plus(Ipv4Set other) {
    List<Ipv4Range> both = new ArrayList<>(ranges);
    both.addAll(other.ranges);
    return of(both);
  }

  Ipv4Set minus(Ipv4Set other) {
    List<Ipv4Range> left = new ArrayList<>(ranges);
    for (Ipv4Range hole : other.ranges) {
      left = left.stream().flatMap(range -> without(range, hole).stream()).toList();
    }
    return new Ipv4Set(List.copyOf(left));
  }

  private static List<Ipv4Range> without(Ipv4Range range, Ipv4Range hole) {
    if (hole.last() < range.first() || hole.first() > range.last()) {
      return List.of(range);
    }
    List<Ipv4Range> parts = new ArrayList<>();
    if (range.first() < hole.first()) {
      parts.add(new Ipv4Range(range.first(), hole.first() - 1));
    }
    if (hole.last() < range.last()) {
      parts.add(new Ipv4Range(hole.last() + 1, range.last()));
    }
    return parts;
  }
}
