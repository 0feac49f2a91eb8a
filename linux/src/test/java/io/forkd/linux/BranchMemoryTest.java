package io.forkd.linux;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class BranchMemoryTest {
  private static final long SELF = ProcessHandle.current().pid();
  private static final int PAGE = (int) ProcessCalls.sysconf(ProcessCalls.SC_PAGESIZE);

  @Test
  void thePagesWrittenToAPrivateMappingAreFoundByBothWays() {
    try (Memfd memfd = Memfd.create("written", 64L * PAGE);
        Mapping base = Mapping.shared(memfd.fd(), 0, 64L * PAGE);
        Mapping copy = Mapping.copyOnWrite(memfd.fd(), 0, 64L * PAGE);
        PageMap pagemap = PageMap.open(SELF)) {
      base.write(0, new byte[64 * PAGE]);
      MemoryArea area = MemoryArea.of(copy);
      copy.read(5L * PAGE, 1);
      assertThat(pagemap.written(area)).isEmpty();
      for (int page : new int[] {3, 4, 9, 63}) {
        copy.write((long) page * PAGE, new byte[] {1});
      }
      List<PageRange> expected = List.of(pages(3, 2), pages(9, 1), pages(63, 1));
      assertThat(pagemap.written(area)).isEqualTo(expected);
      assertThat(pagemap.writtenByReading(area)).isEqualTo(expected);
    }
  }

  private static PageRange pages(long first, long count) {
    return new PageRange(first * PAGE, count * PAGE);
  }

  @Test
  void moreRangesThanOneScanReturnsAreAllFound() {
    int count = 10_000;
    try (Memfd memfd = Memfd.create("many", 2L * count * PAGE);
        Mapping mapping = Mapping.copyOnWrite(memfd.fd(), 0, 2L * count * PAGE);
        PageMap pagemap = PageMap.open(SELF)) {
      for (long i = 0; i < count; i++) {
        mapping.write(2 * i * PAGE, new byte[] {1});
      }
      MemoryArea area = MemoryArea.of(mapping);
      assertThat(pagemap.written(area)).hasSize(count).isEqualTo(pagemap.writtenByReading(area));
    }
  }

  @Test
  void copiesManyRangesOutOfAndIntoAProcess() {
    int count = 3000;
    List<PageRange> ranges = IntStream.range(0, count).mapToObj(i -> pages(2L * i, 1)).toList();
    try (Mapping theirs = Mapping.anonymous(2L * count * PAGE);
        Mapping ours = Mapping.anonymous((long) count * PAGE)) {
      for (int i = 0; i < count; i++) {
        theirs.write(2L * i * PAGE + 7, new byte[] {(byte) (i % 100 + 1)});
      }
      MemoryArea area = MemoryArea.of(theirs);
      assertThat(ProcessMemory.read(SELF, area, ranges, ours)).isEqualTo((long) count * PAGE);
      for (int i = 0; i < count; i++) {
        assertThat(ours.read((long) i * PAGE + 7, 1)[0]).isEqualTo((byte) (i % 100 + 1));
      }
      ours.write(7, new byte[] {-5});
      assertThat(ProcessMemory.write(SELF, area, ranges, ours)).isEqualTo((long) count * PAGE);
      assertThat(theirs.read(7, 1)).containsExactly(-5);
    }
  }

  @Test
  void rangesOutsideTheAreaOrTheBufferAreRefused() {
    try (Mapping theirs = Mapping.anonymous(4L * PAGE);
        Mapping ours = Mapping.anonymous(PAGE)) {
      MemoryArea area = MemoryArea.of(theirs);
      assertThatThrownBy(() -> ProcessMemory.read(SELF, area, List.of(pages(4, 1)), ours))
          .isInstanceOf(IllegalArgumentException.class);
      assertThatThrownBy(() -> ProcessMemory.read(SELF, area, List.of(pages(0, 2)), ours))
          .isInstanceOf(IndexOutOfBoundsException.class);
      assertThat(
              HostFilesTest.errno(
                  () -> ProcessMemory.read(4_000_000, area, List.of(pages(0, 1)), ours)))
          .isEqualTo(Errno.ESRCH);
    }
  }

  @Test
  void writeProtectionTellsThePagesWrittenSince() {
    if (!Tracking.works()) {
      return;
    }
    try (Mapping mapping = Mapping.anonymous(32L * PAGE);
        PageMap pagemap = PageMap.open(SELF);
        Userfaultfd faults = Userfaultfd.create(true)) {
      mapping.write(0, new byte[32 * PAGE]);
      MemoryArea area = MemoryArea.of(mapping);
      faults.enableWriteTracking();
      faults.registerForWriteProtection(area);
      assertThat(pagemap.writtenSinceProtected(area, true)).containsExactly(pages(0, 32));
      assertThat(pagemap.writtenSinceProtected(area, false)).isEmpty();
      mapping.write(6L * PAGE, new byte[] {1});
      mapping.write(20L * PAGE, new byte[] {1});
      List<PageRange> expected = List.of(pages(6, 1), pages(20, 1));
      assertThat(pagemap.writtenSinceProtected(area, true)).isEqualTo(expected);
      assertThat(pagemap.writtenSinceProtected(area, true)).isEmpty();
      mapping.write(7L * PAGE, new byte[] {1});
      assertThat(pagemap.writtenSinceProtected(area, false)).containsExactly(pages(7, 1));
    }
  }
}
