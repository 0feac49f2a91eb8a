package io.forkd.linux;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** One transparent huge page among small ones, written only partly. */
@Timeout(60)
class HugePageTest {
  private static final long SELF = ProcessHandle.current().pid();
  private static final int PAGE = (int) ProcessCalls.sysconf(ProcessCalls.SC_PAGESIZE);
  private static final int MADV_HUGEPAGE = 14;
  private static final int MADV_NOHUGEPAGE = 15;

  /** With pages of 64 KiB one is 512 MiB, too much for a test. */
  private static final long MOST = 32 << 20;

  /** 2 MiB with pages of 4 KiB: what one table of page entries covers. */
  private static final long HUGE = (long) PAGE / Long.BYTES * PAGE;

  private final Mapping memory = Mapping.anonymous(4 * HUGE);
  private final MemoryArea area = MemoryArea.of(memory);
  private final long hugeAt = HUGE - area.start() % HUGE + HUGE;
  private final PageRange huge = new PageRange(hugeAt, HUGE);
  private final boolean reallyHuge = makeHuge();

  private boolean makeHuge() {
    boolean made = false;
    if (Probes.hugePages().transparent().isPresent() && HUGE <= MOST) {
      MemoryCalls.madvise(memory.segment(), MADV_NOHUGEPAGE);
      MemoryCalls.madvise(memory.segment().asSlice(hugeAt, HUGE), MADV_HUGEPAGE);
    }
    memory.write(hugeAt + 5L * PAGE, new byte[] {1});
    boolean ours = false;
    for (String line : ProcFile.read(SELF, "smaps").orElseThrow().lines().toList()) {
      if (line.contains("-") && line.matches("[0-9a-f]+-.*")) {
        ours = line.startsWith("%08x-".formatted(area.start() + hugeAt));
      }
      made |= ours && line.matches("AnonHugePages: +[1-9].*");
    }
    System.out.println(made ? "a huge page was made" : "no huge page could be had on this host");
    return made;
  }

  private PageRange page(long number) {
    return new PageRange(hugeAt + number * PAGE, PAGE);
  }

  @Test
  void aHugePageWrittenAnywhereIsOwnAsAWhole() {
    try (memory;
        PageMap pagemap = PageMap.open(SELF)) {
      memory.write(hugeAt - 2L * PAGE, new byte[] {1});
      PageRange small = new PageRange(hugeAt - 2L * PAGE, PAGE);
      List<PageRange> expected = List.of(small, reallyHuge ? huge : page(5));
      assertThat(pagemap.written(area)).isEqualTo(expected);
      assertThat(pagemap.writtenByReading(area)).isEqualTo(expected);
    }
  }

  @Test
  void anAreaThatCutsAHugePageSeesItsOwnPartOnly() {
    try (memory;
        PageMap pagemap = PageMap.open(SELF)) {
      MemoryArea half =
          new MemoryArea(area.start() + hugeAt, 3L * PAGE, "", "rw-p", 0); // the first 3 pages
      List<PageRange> expected = reallyHuge ? List.of(new PageRange(0, 3L * PAGE)) : List.of();
      assertThat(pagemap.written(half)).isEqualTo(expected);
    }
  }

  @Test
  void aWriteToAProtectedHugePageIsToldAndLosesNothing() {
    if (!Tracking.works()) {
      return;
    }
    try (memory;
        PageMap pagemap = PageMap.open(SELF);
        Userfaultfd faults = Userfaultfd.create(true);
        Mapping copy = Mapping.anonymous(memory.size())) {
      faults.enableWriteTracking();
      faults.registerForWriteProtection(area);
      List<PageRange> first = pagemap.writtenSinceProtected(area, true);
      assertThat(first).containsExactly(reallyHuge ? huge : page(5));
      ProcessMemory.readInPlace(SELF, area, first, copy);
      assertThat(pagemap.writtenSinceProtected(area, true)).isEmpty();
      memory.write(page(9).offset(), new byte[] {2});
      List<PageRange> second = pagemap.writtenSinceProtected(area, true);
      // This kernel splits it and names the page; one that names all of it is right as well.
      assertThat(List.of(List.of(page(9)), List.of(huge))).contains(second);
      ProcessMemory.readInPlace(SELF, area, second, copy);
      assertThat(copy.samePages(0, memory, 0, memory.size())).isTrue();
    }
  }
}
