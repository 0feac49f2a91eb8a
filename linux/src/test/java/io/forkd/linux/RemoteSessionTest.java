package io.forkd.linux;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Many calls in one stop of a process. */
@Timeout(120)
class RemoteSessionTest {
  private static final int PAGE = Target.PAGE;
  private static final int LAYER = 10;

  @Test
  void hundredsOfExtentsAreMappedInOneStop() throws Exception {
    int count = 300;
    try (Memfd layer = Memfd.create(Target.NAME + "-layer", 2L * count * PAGE);
        Target target = Target.start(2L * count, spawn -> spawn.descriptor(layer.fd(), LAYER));
        PageMap pagemap = PageMap.open(target.pid());
        Mapping seen = Mapping.anonymous(2L * count * PAGE);
        Mapping wanted = Mapping.shared(layer.fd(), 0, 2L * count * PAGE)) {
      List<PageRange> extents =
          IntStream.range(0, count).mapToObj(i -> new PageRange(2L * i * PAGE, PAGE)).toList();
      extents.forEach(e -> wanted.write(e.offset(), new byte[] {(byte) (e.offset() / PAGE), 1}));
      MemoryArea memory = target.memory();
      long start = System.nanoTime();
      RemoteCalls.in(
          target.child(),
          calls -> {
            extents.forEach(page -> calls.mapOver(memory, page, LAYER, page.offset()));
            return null;
          });
      System.out.printf("%d mmaps: %.2f ms%n", count, (System.nanoTime() - start) / 1e6);
      assertThat(Maps.of(target.pid()).orElseThrow().ofFile(Target.NAME)).hasSize(2 * count);
      MemoryArea pieced = target.memory();
      assertThat(pagemap.written(pieced)).as("the layer's pages are shared, not own").isEmpty();
      ProcessMemory.readInPlace(
          target.pid(), pieced, List.of(new PageRange(0, pieced.size())), seen);
      assertThat(seen.samePages(0, wanted, 0, wanted.size())).isTrue();
      target.write(List.of(0, 1, 7), 5);
      assertThat(pagemap.written(pieced))
          .containsExactly(new PageRange(0, 2L * PAGE), new PageRange(7L * PAGE, PAGE));
      target.awaitCounting();
    }
  }

  @Test
  void aProcessThatIgnoresAllSignalsIsStoppedAndGoesOn() throws Exception {
    try (Target target = Target.startDeaf(16)) {
      for (int i = 0; i < 20; i++) {
        target.child().kill(Signal.TERM);
        assertThat(RemoteCalls.in(target.child(), RemoteCalls::getpid)).isEqualTo(target.pid());
      }
      target.awaitCounting();
    }
  }

  @Test
  void signalsMeanwhileAreHandledAfterTheCalls() throws Exception {
    try (Target target = Target.start(16)) {
      long during =
          RemoteCalls.in(
              target.child(),
              calls -> {
                for (int i = 0; i < 50; i++) {
                  target.child().kill(Signal.USR1);
                  assertThat(calls.getpid()).isEqualTo(target.pid());
                }
                return target.timesSignalled();
              });
      assertThat(during).isZero();
      target.awaitCounting();
      assertThat(target.timesSignalled()).isPositive();
    }
  }

  @Test
  void aStoppedProcessAnswersAndStaysStopped() throws Exception {
    try (Target target = Target.start(16)) {
      target.child().kill(Signal.STOP);
      while (ProcStat.of(target.pid()).orElseThrow().state() != 'T') {
        Thread.sleep(1);
      }
      assertThat(RemoteCalls.in(target.child(), RemoteCalls::getpid)).isEqualTo(target.pid());
      while (ProcStat.of(target.pid()).orElseThrow().state() != 'T') {
        Thread.sleep(1); // on its way back to where it was
      }
      target.child().kill(Signal.CONT);
      target.awaitCounting();
    }
  }

  @Test
  void aProcessStoppedAndContinuedMeanwhileFinishesItsCallsFirst() throws Exception {
    try (Target target = Target.start(16)) {
      RemoteCalls.in(
          target.child(),
          calls -> {
            for (int i = 0; i < 50; i++) {
              target.child().kill(i % 2 == 0 ? Signal.STOP : Signal.CONT);
              assertThat(calls.getpid()).isEqualTo(target.pid());
            }
            return null;
          });
      target.child().kill(Signal.CONT);
      target.awaitCounting();
    }
  }

  @Test
  void sessionsRunOneAfterTheOtherOnOneThread() throws Exception {
    AtomicInteger inside = new AtomicInteger();
    Set<Thread> threads = ConcurrentHashMap.newKeySet();
    try (Target one = Target.start(16);
        Target two = Target.start(16)) {
      List<Thread> callers = new ArrayList<>();
      AtomicInteger done = new AtomicInteger();
      for (int i = 0; i < 40; i++) {
        Target target = i % 2 == 0 ? one : two;
        callers.add(
            Thread.ofVirtual()
                .start(
                    () -> {
                      RemoteCalls.in(
                          target.child(),
                          calls -> {
                            threads.add(Thread.currentThread());
                            assertThat(inside.incrementAndGet()).isEqualTo(1);
                            assertThat(calls.getpid()).isEqualTo(target.pid());
                            return inside.decrementAndGet();
                          });
                      done.incrementAndGet();
                    }));
      }
      for (Thread caller : callers) {
        caller.join();
      }
      assertThat(done).hasValue(40);
      assertThat(threads).hasSize(1);
      Thread thread = threads.iterator().next();
      assertThat(thread.getName()).isEqualTo("forkd-ptrace");
      assertThat(thread.isDaemon()).isTrue();
      assertThat(thread.isVirtual()).isFalse();
    }
  }

  @Test
  void aSessionInsideASessionAndCallsAfterItAreRefused() throws Exception {
    List<RemoteCalls> kept = new ArrayList<>();
    try (Target target = Target.start(16)) {
      assertThatThrownBy(
              () ->
                  RemoteCalls.in(
                      target.child(),
                      calls -> {
                        kept.add(calls);
                        return RemoteCalls.in(target.child(), RemoteCalls::getpid);
                      }))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("one thread does all tracing");
      assertThatThrownBy(() -> kept.getFirst().getpid())
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("only by the work it is stopped for");
      target.awaitCounting();
    }
  }

  @Test
  void anInterruptedCallerStillGetsTheResultAndStaysInterrupted() throws Exception {
    try (Target target = Target.start(16)) {
      Thread.currentThread().interrupt();
      assertThat(RemoteCalls.in(target.child(), RemoteCalls::getpid)).isEqualTo(target.pid());
      assertThat(Thread.interrupted()).isTrue();
      target.awaitCounting();
    }
  }
}
