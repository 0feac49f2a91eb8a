package io.forkd.linux;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Pages the kernel has moved to a swap file made for this test. Where no swap can be had, nothing
 * is moved and the same must hold; the decoding of swapped entries is tested elsewhere too.
 */
@Timeout(120)
class SwapTest {
  private static final long SELF = ProcessHandle.current().pid();
  private static final int PAGE = (int) ProcessCalls.sysconf(ProcessCalls.SC_PAGESIZE);
  private static final int MADV_PAGEOUT = 21;
  private static final int SWAP_BYTES = 64 << 20;
  private static final int PAGES = 256;

  private final Path swap =
      Path.of("target", "swap-%d".formatted(System.nanoTime())).toAbsolutePath();
  private boolean swapping;

  @BeforeEach
  void makeSwap() {
    try (Fd file = HostFiles.create(swap, 0600)) {
      FileIo.pwrite(file, ByteBuffer.allocate(SWAP_BYTES), 0); // without holes
    }
    swapping =
        CommandOutput.of("mkswap", swap.toString()).filter(CommandOutput::success).isPresent()
            && CommandOutput.of("swapon", swap.toString())
                .filter(CommandOutput::success)
                .isPresent();
  }

  @AfterEach
  void removeSwap() throws Exception {
    if (swapping) {
      assertThat(CommandOutput.of("swapoff", swap.toString()).orElseThrow().success()).isTrue();
    }
    Files.delete(swap);
  }

  private static PageRange pages(long first, long count) {
    return new PageRange(first * PAGE, count * PAGE);
  }

  /** Moves pages out; again when the kernel had just added some on another processor. */
  private void pageOut(Mapping memory, PageMap pagemap, PageRange range) throws Exception {
    List<PageRange> swapped = List.of();
    for (int attempt = 0; swapping && !swapped.equals(List.of(range)); attempt++) {
      assertThat(attempt).as("moved so far: %s", swapped).isLessThan(1000);
      MemoryCalls.madvise(memory.segment().asSlice(range.offset(), range.length()), MADV_PAGEOUT);
      swapped = pagemap.read(MemoryArea.of(memory), entry -> (entry >>> 62 & 1) != 0);
      Thread.sleep(1);
    }
    System.out.println(
        swapping
            ? "moved to swap: " + swapped
            : "no swap on this host: nothing moved, only the decoding of entries was tested");
  }

  @Test
  void swappedPagesAreOwnPages() throws Exception {
    try (Memfd memfd = Memfd.create("swapped", (long) PAGES * PAGE);
        Mapping memory = Mapping.copyOnWrite(memfd.fd(), 0, (long) PAGES * PAGE);
        Mapping copy = Mapping.anonymous((long) PAGES * PAGE);
        PageMap pagemap = PageMap.open(SELF)) {
      MemoryArea area = MemoryArea.of(memory);
      memory.write(10L * PAGE, filled(50, 3));
      memory.write(100L * PAGE, filled(1, 4));
      pageOut(memory, pagemap, pages(20, 30));
      List<PageRange> expected = List.of(pages(10, 50), pages(100, 1));
      assertThat(pagemap.written(area)).isEqualTo(expected);
      assertThat(pagemap.writtenByReading(area)).isEqualTo(expected);
      ProcessMemory.readInPlace(SELF, area, expected, copy);
      assertThat(copy.samePages(0, memory, 0, memory.size())).isTrue();
    }
  }

  @Test
  void swappedPagesStayProtectedAndTellWhenTheyAreWritten() throws Exception {
    if (!Tracking.works()) {
      return;
    }
    try (Memfd memfd = Memfd.create("swapped", (long) PAGES * PAGE);
        Mapping memory = Mapping.copyOnWrite(memfd.fd(), 0, (long) PAGES * PAGE);
        Userfaultfd faults = Userfaultfd.create(true);
        PageMap pagemap = PageMap.open(SELF)) {
      MemoryArea area = MemoryArea.of(memory);
      faults.enableWriteTracking();
      faults.registerForWriteProtection(area);
      memory.write(10L * PAGE, filled(50, 3));
      pageOut(memory, pagemap, pages(10, 50));
      assertThat(pagemap.writtenSinceProtected(area, true)).containsExactly(pages(10, 50));
      assertThat(pagemap.writtenSinceProtected(area, true)).isEmpty();
      memory.read(15L * PAGE, 1);
      assertThat(pagemap.writtenSinceProtected(area, true)).as("only read").isEmpty();
      memory.write(16L * PAGE, new byte[] {9});
      memory.write(40L * PAGE, new byte[] {9});
      MemoryCalls.madvise(memory.segment().asSlice(40L * PAGE, PAGE), MADV_PAGEOUT);
      assertThat(pagemap.writtenSinceProtected(area, true))
          .containsExactly(pages(16, 1), pages(40, 1));
      assertThat(memory.read(40L * PAGE, 2)).containsExactly(9, 3);
      assertThat(pagemap.writtenSinceProtected(area, true)).isEmpty();
    }
  }

  private static byte[] filled(int pages, int value) {
    byte[] bytes = new byte[pages * PAGE];
    Arrays.fill(bytes, (byte) value);
    return bytes;
  }
}
