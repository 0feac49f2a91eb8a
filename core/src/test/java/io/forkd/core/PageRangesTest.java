package io.forkd.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.forkd.linux.PageRange;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class PageRangesTest {
  private static final int PAGE = 4096;

  static List<PageRange> ranges(BitSet pages) {
    List<PageRange> ranges = new ArrayList<>();
    for (int from = pages.nextSetBit(0); from >= 0; ) {
      int to = pages.nextClearBit(from);
      ranges.add(new PageRange((long) from * PAGE, (long) (to - from) * PAGE));
      from = pages.nextSetBit(to);
    }
    return ranges;
  }

  static BitSet somePages(Random random, int count) {
    BitSet pages = new BitSet();
    for (int i = 0; i < count; ) {
      int run = 1 + random.nextInt(6);
      if (random.nextBoolean()) {
        pages.set(i, Math.min(count, i + run));
      }
      i += run;
    }
    return pages;
  }

  @Test
  void theUnionIsThatOfSets() {
    Random random = new Random(7);
    for (int round = 0; round < 2000; round++) {
      BitSet a = somePages(random, 64);
      BitSet b = somePages(random, 64);
      BitSet union = (BitSet) a.clone();
      union.or(b);
      assertThat(PageRanges.union(ranges(a), ranges(b))).isEqualTo(ranges(union));
      assertThat(PageRanges.bytes(ranges(union))).isEqualTo((long) union.cardinality() * PAGE);
    }
  }
}
