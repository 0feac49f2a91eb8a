package io.forkd.linux;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Timeout(60)
class PageMapTest {
  private static final long SELF = ProcessHandle.current().pid();
  private static final int PAGE = (int) ProcessCalls.sysconf(ProcessCalls.SC_PAGESIZE);

  private static PageRange pages(long first, long count) {
    return new PageRange(first * PAGE, count * PAGE);
  }

  @Test
  void pagesReadAreTheFilesAndPagesWrittenAreOwnWhateverTheyHold() {
    try (Memfd memfd = Memfd.create("kinds", 64L * PAGE);
        Mapping base = Mapping.shared(memfd.fd(), 0, 64L * PAGE);
        Mapping memory = Mapping.copyOnWrite(memfd.fd(), 0, 64L * PAGE);
        PageMap pagemap = PageMap.open(SELF)) {
      base.write(0, new byte[] {1}); // data in two pages; all others are holes
      base.write(7L * PAGE, new byte[] {1});
      MemoryArea area = MemoryArea.of(memory);
      memory.read(0, 1);
      memory.read(20L * PAGE, 1); // a hole
      assertThat(pagemap.written(area)).isEmpty();
      memory.write(7L * PAGE, new byte[] {0}); // data that became zero
      memory.write(21L * PAGE, new byte[] {0}); // a hole that became a page of zeros
      memory.write(30L * PAGE, new byte[] {9});
      memory.write(30L * PAGE, new byte[] {0}); // written and zeroed again
      memory.write(63L * PAGE, new byte[] {9});
      List<PageRange> expected = List.of(pages(7, 1), pages(21, 1), pages(30, 1), pages(63, 1));
      assertThat(pagemap.written(area)).isEqualTo(expected);
      assertThat(pagemap.writtenByReading(area)).isEqualTo(expected);
    }
  }

  /** The kernel may put it in place of an own page that became zero (merging of same pages). */
  @Test
  void theSharedZeroPageCountsAsOwn() {
    try (Mapping memory = Mapping.anonymous(16L * PAGE);
        PageMap pagemap = PageMap.open(SELF)) {
      memory.read(3L * PAGE, 1);
      MemoryArea area = MemoryArea.of(memory);
      assertThat(pagemap.written(area)).containsExactly(pages(3, 1));
      assertThat(pagemap.writtenByReading(area)).containsExactly(pages(3, 1));
    }
  }

  /** The kernel's entries made by hand: no other way on a kernel without soft-dirty. */
  @ParameterizedTest
  @CsvSource({
    // present, swapped, file, soft-dirty: own, own and soft-dirty
    "1, 0, 0, 0, true, false",
    "1, 0, 0, 1, true, true",
    "1, 0, 1, 1, false, false",
    "0, 1, 0, 0, true, false",
    "0, 1, 0, 1, true, true",
    "0, 1, 1, 1, false, false",
    "0, 0, 0, 1, false, false",
    "0, 0, 0, 0, false, false",
  })
  void entriesTellWhoseAPageIsAndWhetherItWasWritten(
      long present, long swapped, long file, long softDirty, boolean own, boolean written) {
    long frameAndFlags = 0x0112_3456_789a_bcdeL & ~(1L << 55);
    long entry = present << 63 | swapped << 62 | file << 61 | softDirty << 55 | frameAndFlags;
    assertThat(PageMap.own(entry)).isEqualTo(own);
    assertThat(PageMap.ownAndSoftDirty(entry)).isEqualTo(written);
  }

  @Test
  void softDirtyTellsWhatWasWrittenSinceItWasClearedWhereTheKernelHasIt() {
    try (Memfd memfd = Memfd.create("soft", 16L * PAGE);
        Mapping memory = Mapping.copyOnWrite(memfd.fd(), 0, 16L * PAGE);
        PageMap pagemap = PageMap.open(SELF)) {
      MemoryArea area = MemoryArea.of(memory);
      memory.write(3L * PAGE, new byte[2 * PAGE]);
      PageMap.clearSoftDirty(SELF);
      memory.write(4L * PAGE, new byte[] {1});
      memory.write(9L * PAGE, new byte[] {1});
      boolean kernelHasIt = SoftDirtyProbe.run().works();
      System.out.println("soft-dirty on this kernel: " + SoftDirtyProbe.run());
      assertThat(pagemap.writtenBySoftDirty(area))
          .isEqualTo(kernelHasIt ? List.of(pages(4, 1), pages(9, 1)) : List.of());
    }
    assertThat(HostFilesTest.errno(() -> PageMap.clearSoftDirty(Integer.MAX_VALUE)))
        .isEqualTo(Errno.ENOENT);
  }

  /** The kernel walks the empty memory of an ended process and reports success. */
  @Test
  void aProcessThatEndedHasNoAnswerRatherThanNoPages() throws Exception {
    try (Target target = Target.start(16);
        PageMap pagemap = PageMap.open(target.pid())) {
      MemoryArea area = target.memory();
      target.write(List.of(3), 1);
      assertThat(pagemap.written(area)).containsExactly(pages(3, 1));
      target.child().kill(Signal.KILL);
      target.child().waitFor(Duration.ofSeconds(30));
      assertThat(HostFilesTest.errno(() -> pagemap.written(area))).isEqualTo(Errno.ESRCH);
      assertThat(HostFilesTest.errno(() -> pagemap.writtenByReading(area))).isEqualTo(Errno.ESRCH);
      assertThat(HostFilesTest.errno(() -> pagemap.writtenBySoftDirty(area)))
          .isEqualTo(Errno.ESRCH);
    }
  }
}
