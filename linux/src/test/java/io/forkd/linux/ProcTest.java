package io.forkd.linux;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class ProcTest {
  private static final long SELF = ProcessHandle.current().pid();

  @Test
  void tellsStateParentAndStartOfThisProcess() {
    ProcStat stat = ProcStat.of(SELF).orElseThrow();
    assertThat(stat.pid()).isEqualTo(SELF);
    assertThat(stat.parent()).isEqualTo(ProcessHandle.current().parent().orElseThrow().pid());
    assertThat(stat.running()).isTrue();
    assertThat(stat.startTicks()).isPositive();
    assertThat(stat.cpu()).isPositive();
    assertThat(stat.threads()).isGreaterThan(1);
    assertThat(ProcStat.of(Integer.MAX_VALUE)).isEmpty();
  }

  @Test
  void aNameWithParenthesesAndSpacesDoesNotShiftTheFields() {
    ProcStat stat =
        ProcStat.parse(
            "42 (a) R (b c) Z 7 42 43 0 -1 4194560 1 2 3 4 100 50 7 8 20 0 9 0 12345 1 2\n");
    assertThat(stat)
        .isEqualTo(new ProcStat(42, "a) R (b c", 'Z', 7, 43, 9, Duration.ofMillis(1500), 12345));
    assertThat(stat.running()).isFalse();
  }

  @Test
  void countsThePagesOfAMappedMemfd() {
    long size = 64 * 4096 + 4096 * 1024;
    try (Memfd memfd = Memfd.create("smaps-test", size);
        Mapping mapping = Mapping.copyOnWrite(memfd.fd(), 0, size)) {
      assertThat(usage()).isEqualTo(MemoryUse.NONE);
      mapping.write(0, new byte[] {1});
      mapping.write(10 * 4096, new byte[] {1});
      mapping.read(20 * 4096, 1);
      assertThat(usage().anonymous()).isEqualTo(2 * 4096);
      assertThat(usage().rss()).isGreaterThanOrEqualTo(3 * 4096);
      Smaps smaps = Smaps.of(SELF).orElseThrow();
      assertThat(smaps.usedBySize(size).anonymous()).isEqualTo(2 * 4096);
      assertThat(smaps.regions())
          .anySatisfy(
              region -> {
                assertThat(region.name()).contains("smaps-test");
                assertThat(region.copyOnWrite()).isTrue();
                assertThat(region.size()).isEqualTo(size);
              });
    }
  }

  private static MemoryUse usage() {
    return Smaps.of(SELF).orElseThrow().usedByFile("memfd:smaps-test");
  }

  @Test
  void theTotalsAreThoseTheKernelSumsUp() {
    MemoryUse total = Smaps.of(SELF).orElseThrow().total();
    MemoryUse rollup = Smaps.rollup(SELF).orElseThrow();
    assertThat(total.rss())
        .isCloseTo(rollup.rss(), org.assertj.core.data.Percentage.withPercentage(20));
    assertThat(total.unique()).isPositive().isLessThanOrEqualTo(total.rss());
    assertThat(Smaps.of(Integer.MAX_VALUE)).isEmpty();
    assertThat(Smaps.rollup(Integer.MAX_VALUE)).isEmpty();
  }

  @Test
  void readsTheHostsMemory() {
    MemInfo info = MemInfo.read();
    assertThat(info.total()).isGreaterThan(info.free()).isGreaterThanOrEqualTo(info.available());
    assertThat(info.available()).isPositive();
    assertThat(MemInfo.parse("MemTotal:  10 kB\nHugePages_Total:  3\nHugepagesize: 2048 kB\n"))
        .isEqualTo(new MemInfo(10240, 0, 0, 0, 0, 0, 3, 0, 2 << 20));
  }

  @Test
  void countsOfMemoryAgreeWithTheFullAccount() {
    try (Mapping own = Mapping.anonymous(32 << 20)) {
      own.segment().fill((byte) 1);
      ProcStatus status = ProcStatus.of(SELF).orElseThrow();
      MemoryUse full = Smaps.rollup(SELF).orElseThrow();
      assertThat(status.anonymous()).isGreaterThan(32 << 20);
      assertThat(status.anonymous())
          .isCloseTo(full.anonymous(), org.assertj.core.data.Offset.offset(16L << 20));
      assertThat(status.threads()).isGreaterThan(1);
    }
    assertThat(ProcStatus.of(4_000_000)).isEmpty();
  }

  @Test
  void readsTheStatusOfAProcess() {
    assertThat(
            ProcStatus.parse(
                """
                Name:\tx
                RssAnon:\t 4 kB
                RssFile:\t 8 kB
                RssShmem:\t 12 kB
                VmSwap:\t 1 kB
                Threads:\t3
                """))
        .isEqualTo(new ProcStatus(4096, 8192, 12288, 1024, 3));
    assertThat(ProcStatus.parse("Name:\tkthread\nThreads:\t1\n"))
        .as("without memory")
        .isEqualTo(new ProcStatus(0, 0, 0, 0, 1));
  }

  @Test
  void tellsHowMuchOfTheHostIsTaken() {
    HostRoom room = HostRoom.read();
    assertThat(room.memoryAvailable()).isPositive().isLessThan(room.memoryTotal());
    assertThat(room.openFiles()).isPositive().isLessThan(room.mostOpenFiles());
    assertThat(room.threads()).isPositive().isLessThan(room.mostThreads());
    assertThat(room.mostThreads()).as("all of its digits are read").isGreaterThan(300);
  }
}
