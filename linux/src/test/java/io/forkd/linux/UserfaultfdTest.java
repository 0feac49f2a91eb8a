package io.forkd.linux;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.SortedSet;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The writes of another process, told through the userfaultfd it keeps open for us. */
@Timeout(120)
class UserfaultfdTest {
  private static final int PAGE = Target.PAGE;
  private static final int LAYER = 10;

  private static int open(Target target) {
    return RemoteCalls.in(target.child(), RemoteCalls::openUserfaultfd);
  }

  private static List<PageRange> ranges(SortedSet<Integer> pages) {
    List<PageRange> ranges = new ArrayList<>();
    for (int page : pages) {
      long offset = (long) page * PAGE;
      if (!ranges.isEmpty() && ranges.getLast().end() == offset) {
        PageRange last = ranges.removeLast();
        ranges.add(new PageRange(last.offset(), last.length() + PAGE));
      } else {
        ranges.add(new PageRange(offset, PAGE));
      }
    }
    return ranges;
  }

  private static SortedSet<Integer> some(Random random, int pages) {
    SortedSet<Integer> some = new TreeSet<>();
    int count = random.nextInt(pages / 2);
    while (some.size() < count) {
      some.add(random.nextInt(pages));
    }
    return some;
  }

  /** Layers over every fourth page: the memory consists of many mappings. */
  private static void layer(Target target, int pages) {
    MemoryArea memory = target.memory();
    RemoteCalls.in(
        target.child(),
        calls -> {
          for (int page = 1; page < pages; page += 4) {
            calls.mapOver(
                memory, new PageRange((long) page * PAGE, PAGE), LAYER, (long) page * PAGE);
          }
          return null;
        });
  }

  @Test
  void theShortWayForPagesKnownToBeOwnTellsTheSame() throws Exception {
    int pages = 2048;
    Random random = new Random(8);
    try (Target target = Target.start(pages);
        Mapping seen = Mapping.anonymous((long) pages * PAGE);
        PageMap pagemap = PageMap.open(target.pid())) {
      if (!Tracking.works()) {
        return;
      }
      MemoryArea memory = target.memory();
      ProcessMemory.readInPlace(
          target.pid(), memory, List.of(new PageRange(0, memory.size())), seen);
      SortedSet<Integer> own = new TreeSet<>();
      for (int page = 100; page < 1500; page++) {
        own.add(page == 700 ? 1800 : page); // two long ranges and a single page
      }
      target.write(own, 1);
      try (Userfaultfd faults = Userfaultfd.ofProcess(target.child(), open(target))) {
        faults.registerForWriteProtection(memory);
        List<PageRange> known = pagemap.writtenSinceProtected(memory, true);
        assertThat(known).isEqualTo(ranges(own));
        assertThat(pagemap.writtenSinceProtected(memory, known)).isEmpty();
        SortedSet<Integer> later = some(random, pages);
        target.write(later, 2);
        assertThat(pagemap.writtenSinceProtected(memory, known))
            .isEqualTo(ranges(later))
            .isEqualTo(pagemap.writtenSinceProtected(memory, false));
      }
    }
  }

  @Test
  void exactlyTheWrittenPagesAreToldRoundAfterRoundAcrossManyMappings() throws Exception {
    int pages = 512;
    Random random = new Random(3);
    try (Memfd layer = Memfd.create(Target.NAME + "-layer", (long) pages * PAGE);
        Target target = Target.start(pages, spawn -> spawn.descriptor(layer.fd(), LAYER));
        Mapping seen = Mapping.anonymous((long) pages * PAGE);
        PageMap pagemap = PageMap.open(target.pid())) {
      layer(target, pages);
      MemoryArea memory = target.memory();
      List<PageRange> all = List.of(new PageRange(0, memory.size()));
      ProcessMemory.readInPlace(target.pid(), memory, all, seen); // all pages are there now
      assertThat(Maps.of(target.pid()).orElseThrow().ofFile(Target.NAME)).hasSizeGreaterThan(200);
      assertThat(pagemap.written(memory)).isEmpty();
      if (!Tracking.works()) {
        return;
      }
      SortedSet<Integer> ever = new TreeSet<>(some(random, pages));
      target.write(ever, 1);
      assertThat(pagemap.written(memory)).isEqualTo(ranges(ever));
      try (Userfaultfd faults = Userfaultfd.ofProcess(target.child(), open(target))) {
        faults.registerForWriteProtection(memory);
        assertThat(pagemap.writtenSinceProtected(memory, true)).isEqualTo(ranges(ever));
        for (int round = 0; round < 100; round++) {
          SortedSet<Integer> now = some(random, pages);
          target.write(now, round);
          ever.addAll(now);
          assertThat(pagemap.writtenSinceProtected(memory, true)).isEqualTo(ranges(now));
        }
        assertThat(pagemap.written(memory)).isEqualTo(ranges(ever));
      }
    }
  }

  /** The way of a live branch: the copy made in rounds is the memory as it was when it stopped. */
  @Test
  void noWriteIsLostWhileTheProcessGoesOnWriting() throws Exception {
    if (!Tracking.works()) {
      return;
    }
    int pages = 2048;
    try (Target target = Target.start(pages);
        PageMap pagemap = PageMap.open(target.pid());
        Mapping copy = Mapping.anonymous((long) pages * PAGE);
        Mapping end = Mapping.anonymous((long) pages * PAGE);
        Userfaultfd faults = Userfaultfd.ofProcess(target.child(), open(target))) {
      MemoryArea memory = target.memory();
      for (int branch = 0; branch < 10; branch++) {
        target.writeOnAndOn();
        faults.registerForWriteProtection(memory);
        long before = target.timesWritten();
        for (int round = 0; round < 20 || target.timesWritten() < before + 1000; round++) {
          List<PageRange> written = pagemap.writtenSinceProtected(memory, true);
          ProcessMemory.readInPlace(target.pid(), memory, written, copy);
        }
        target.child().kill(Signal.STOP);
        awaitStopped(target);
        List<PageRange> rest = pagemap.writtenSinceProtected(memory, false);
        ProcessMemory.readInPlace(target.pid(), memory, rest, copy);
        List<PageRange> all = List.of(new PageRange(0, memory.size()));
        ProcessMemory.readInPlace(target.pid(), memory, all, end);
        assertThat(copy.samePages(0, end, 0, end.size())).as("branch %d", branch).isTrue();
        faults.unregister(memory);
        target.child().kill(Signal.CONT);
        target.write(List.of(branch), branch);
      }
    }
  }

  private static void awaitStopped(Target target) throws Exception {
    while (ProcStat.of(target.pid()).orElseThrow().state() != 'T') {
      Thread.sleep(1);
    }
  }

  @Test
  void registeringTwiceAndUnregisteringWhatIsNotRegisteredIsHarmless() throws Exception {
    if (!Tracking.works()) {
      return;
    }
    try (Target target = Target.start(16);
        PageMap pagemap = PageMap.open(target.pid());
        Userfaultfd faults = Userfaultfd.ofProcess(target.child(), open(target))) {
      MemoryArea memory = target.memory();
      faults.unregister(memory);
      target.write(List.of(2, 3), 1);
      faults.registerForWriteProtection(memory);
      pagemap.writtenSinceProtected(memory, true);
      target.write(List.of(3), 2);
      faults.registerForWriteProtection(memory);
      assertThat(pagemap.writtenSinceProtected(memory, true))
          .as("registering again keeps what is protected")
          .containsExactly(new PageRange(3L * PAGE, PAGE));
      faults.unregister(memory);
      faults.unregister(memory);
      assertThat(HostFilesTest.errno(() -> pagemap.writtenSinceProtected(memory, true)))
          .as("tracking is over")
          .isEqualTo(Errno.EPERM);
      target.write(List.of(9), 3);
      assertThat(pagemap.written(memory))
          .containsExactly(new PageRange(2L * PAGE, 2L * PAGE), new PageRange(9L * PAGE, PAGE));
      faults.registerForWriteProtection(memory);
      assertThat(pagemap.writtenSinceProtected(memory, true))
          .as("nothing is protected after a new start")
          .isEqualTo(pagemap.written(memory));
    }
  }

  /** What a daemon leaves behind that is killed in the middle of a live branch. */
  @Test
  void aTrackingNobodyHoldsDisturbsNobodyAndCanBeEndedLater() throws Exception {
    if (!Tracking.works()) {
      return;
    }
    try (Target target = Target.start(16);
        PageMap pagemap = PageMap.open(target.pid())) {
      MemoryArea memory = target.memory();
      int number = open(target);
      target.write(List.of(1, 2, 3), 1);
      try (Userfaultfd faults = Userfaultfd.ofProcess(target.child(), number)) {
        faults.registerForWriteProtection(memory);
        pagemap.writtenSinceProtected(memory, true);
      }
      target.write(List.of(2, 8), 2);
      target.awaitCounting();
      try (Userfaultfd faults = Userfaultfd.ofProcess(target.child(), number)) {
        faults.unregister(memory);
        faults.registerForWriteProtection(memory);
        assertThat(pagemap.writtenSinceProtected(memory, true))
            .isEqualTo(List.of(new PageRange(PAGE, 3L * PAGE), new PageRange(8L * PAGE, PAGE)));
      }
    }
  }

  @Test
  void aNumberThatIsSomethingElseInTheProcessIsRefused() throws Exception {
    var before = Descriptors.open();
    try (Memfd faked = Memfd.create("anon_inode:[userfaultfd]", PAGE);
        Target target = Target.start(16, spawn -> spawn.descriptor(faked.fd(), LAYER))) {
      assertThatThrownBy(() -> Userfaultfd.ofProcess(target.child(), LAYER))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("descriptor 10")
          .hasMessageContaining("/memfd:");
      assertThat(HostFilesTest.errno(() -> Userfaultfd.ofProcess(target.child(), 77)))
          .isEqualTo(Errno.EBADF);
      target.child().kill(Signal.KILL);
      target.child().exit().join();
      assertThat(HostFilesTest.errno(() -> Userfaultfd.ofProcess(target.child(), LAYER)))
          .isEqualTo(Errno.ESRCH);
    }
    assertThat(Descriptors.open()).isEqualTo(before);
  }

  @Test
  void scanningWhatIsNotRegisteredIsRefused() throws Exception {
    try (Target target = Target.start(16);
        PageMap pagemap = PageMap.open(target.pid())) {
      assertThat(HostFilesTest.errno(() -> pagemap.writtenSinceProtected(target.memory(), true)))
          .isIn(Errno.EPERM, Errno.ENOTTY);
    }
  }
}
