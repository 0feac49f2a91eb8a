package io.forkd.linux;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ProcessMemoryTest {
  private static final long SELF = ProcessHandle.current().pid();
  private static final int PAGE = (int) ProcessCalls.sysconf(ProcessCalls.SC_PAGESIZE);

  private static PageRange pages(long first, long count) {
    return new PageRange(first * PAGE, count * PAGE);
  }

  private static void fill(Mapping mapping, long seed) {
    byte[] bytes = new byte[(int) mapping.size()];
    new Random(seed).nextBytes(bytes);
    mapping.write(0, bytes);
  }

  /** Ranges of one to seven pages with gaps between them. */
  private static List<PageRange> scattered(int pages) {
    List<PageRange> ranges = new ArrayList<>();
    for (int page = 1, length = 1; page + length <= pages; page += length + 1) {
      ranges.add(pages(page, length));
      length = length % 7 + 1;
    }
    return ranges;
  }

  @Test
  void everyRangeGoesToItsOwnPlaceAndNothingElseChanges() {
    int pages = 200;
    try (Mapping theirs = Mapping.anonymous((long) pages * PAGE);
        Mapping ours = Mapping.anonymous((long) pages * PAGE)) {
      fill(theirs, 1);
      fill(ours, 2);
      byte[] before = ours.read(0, pages * PAGE);
      List<PageRange> ranges = scattered(pages);
      long expected = ranges.stream().mapToLong(PageRange::length).sum();
      MemoryArea area = MemoryArea.of(theirs);
      assertThat(ProcessMemory.readInPlace(SELF, area, ranges, ours)).isEqualTo(expected);
      for (int page = 0; page < pages; page++) {
        boolean copied = contains(ranges, page);
        byte[] source = copied ? theirs.read((long) page * PAGE, PAGE) : slice(before, page);
        assertThat(ours.read((long) page * PAGE, PAGE)).as("page %d", page).isEqualTo(source);
      }
    }
  }

  private static boolean contains(List<PageRange> ranges, long page) {
    return ranges.stream().anyMatch(r -> r.offset() <= page * PAGE && page * PAGE < r.end());
  }

  private static byte[] slice(byte[] bytes, int page) {
    return Arrays.copyOfRange(bytes, page * PAGE, (page + 1) * PAGE);
  }

  /** What one call moves at most is 1 GiB; here it is a few pages, or not even whole ones. */
  @ParameterizedTest
  @ValueSource(longs = {1, 3, 1000, 1L << 20})
  void rangesLongerThanOneCallMovesAreSplit(long sixtyFourths) {
    long mostAtOnce = sixtyFourths * PAGE / 64;
    int pages = 40;
    List<PageRange> ranges = List.of(pages(0, 1), pages(2, 30), pages(33, 7));
    try (Mapping theirs = Mapping.anonymous((long) pages * PAGE);
        Mapping ours = Mapping.anonymous((long) pages * PAGE)) {
      fill(theirs, 3);
      MemoryArea area = MemoryArea.of(theirs);
      assertThat(
              ProcessMemory.inPlace(
                  ProcessMemory.Direction.READ, SELF, area, ranges, ours, mostAtOnce))
          .isEqualTo(38L * PAGE);
      for (PageRange range : ranges) {
        assertThat(ours.samePages(range.offset(), theirs, range.offset(), range.length())).isTrue();
      }
      assertThat(ours.read(PAGE, PAGE)).containsOnly(0);
      fill(ours, 4);
      ProcessMemory.inPlace(ProcessMemory.Direction.WRITE, SELF, area, ranges, ours, mostAtOnce);
      for (PageRange range : ranges) {
        assertThat(ours.samePages(range.offset(), theirs, range.offset(), range.length())).isTrue();
      }
      assertThat(ours.samePages(PAGE, theirs, PAGE, PAGE)).isFalse();
    }
  }

  @Test
  void moreRangesThanOneCallTakesAreAllMoved() {
    int count = 2500;
    List<PageRange> ranges = IntStream.range(0, count).mapToObj(i -> pages(2L * i, 1)).toList();
    try (Mapping theirs = Mapping.anonymous(2L * count * PAGE);
        Mapping ours = Mapping.anonymous(2L * count * PAGE)) {
      ranges.forEach(range -> ours.write(range.offset() + 5, new byte[] {7}));
      MemoryArea area = MemoryArea.of(theirs);
      assertThat(ProcessMemory.writeInPlace(SELF, area, ranges, ours))
          .isEqualTo((long) count * PAGE);
      assertThat(theirs.samePages(0, ours, 0, ours.size())).isTrue();
      assertThat(ProcessMemory.writeInPlace(SELF, area, List.of(), ours)).isZero();
    }
  }

  @Test
  void aMappingOfAnotherSizeAndRangesOutsideAreRefused() {
    try (Mapping theirs = Mapping.anonymous(4L * PAGE);
        Mapping small = Mapping.anonymous(3L * PAGE);
        Mapping ours = Mapping.anonymous(4L * PAGE)) {
      MemoryArea area = MemoryArea.of(theirs);
      assertThatThrownBy(() -> ProcessMemory.readInPlace(SELF, area, List.of(pages(0, 1)), small))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("size");
      for (PageRange outside : List.of(pages(3, 2), pages(-1, 1), pages(0, 0), pages(4, 1))) {
        assertThatThrownBy(() -> ProcessMemory.readInPlace(SELF, area, List.of(outside), ours))
            .isInstanceOf(IllegalArgumentException.class);
      }
    }
  }

  @Test
  void memoryThatIsNotThereIsAnErrorNotAShortCopy() {
    try (Mapping ours = Mapping.anonymous(4L * PAGE)) {
      MemoryArea gone;
      try (Mapping theirs = Mapping.anonymous(4L * PAGE)) {
        gone = MemoryArea.of(theirs);
      }
      assertThat(
              HostFilesTest.errno(
                  () -> ProcessMemory.readInPlace(SELF, gone, List.of(pages(0, 4)), ours)))
          .isEqualTo(Errno.EFAULT);
    }
  }
}
