package io.forkd.linux;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Many calls in one stop, and what happens when something goes wrong in the middle of them. */
@Timeout(120)
class RemoteSessionTest {
  private static final int PAGE = Target.PAGE;
  private static final int LAYER = 10;
  private static final Duration LONG = Duration.ofSeconds(30);
  private static final Duration SHORT = Duration.ofMillis(300);

  @TempDir Path folder;

  private static void untraced(long pid) throws Exception {
    while (!Files.readString(Path.of("/proc/%d/status".formatted(pid))).contains("TracerPid:\t0")) {
      Thread.sleep(1); // a thread that was given up is about to end
    }
  }

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
  void workThatThrowsInTheMiddleLeavesTheProcessUnharmed() throws Exception {
    try (Target target = Target.start(16)) {
      IllegalArgumentException failure = new IllegalArgumentException("in the middle");
      for (int i = 0; i < 20; i++) {
        assertThatThrownBy(
                () ->
                    RemoteCalls.in(
                        target.child(),
                        calls -> {
                          calls.getpid();
                          throw failure;
                        }))
            .isSameAs(failure);
      }
      assertThat(HostFilesTest.errno(() -> closing(target, 999))).isEqualTo(Errno.EBADF);
      untraced(target.pid());
      target.write(List.of(3), 1);
      target.awaitCounting();
    }
  }

  private static void closing(Target target, int number) {
    RemoteCalls.in(
        target.child(),
        calls -> {
          calls.close(number);
          return null;
        });
  }

  @Test
  void aProcessKilledInTheMiddleIsReportedAndTheNextOneServed() throws Exception {
    for (int after : new int[] {0, 1, 150, 399}) {
      try (Target target = Target.start(16)) {
        AtomicInteger made = new AtomicInteger();
        assertThat(HostFilesTest.errno(() -> callUntilGone(target, made, after)))
            .isEqualTo(Errno.ESRCH);
        assertThat(made.get()).isEqualTo(after);
        assertThat(target.child().waitFor(LONG)).contains(new ExitStatus.Killed(9));
        assertThat(HostFilesTest.errno(() -> RemoteCalls.in(target.child(), RemoteCalls::getpid)))
            .isEqualTo(Errno.ESRCH);
      }
    }
    try (Target target = Target.start(16)) {
      assertThat(RemoteCalls.in(target.child(), RemoteCalls::getpid)).isEqualTo(target.pid());
    }
  }

  private static void callUntilGone(Target target, AtomicInteger made, int killAfter) {
    RemoteCalls.in(
        target.child(),
        calls -> {
          for (int i = 0; i < 400; i++) {
            if (i == killAfter) {
              target.child().kill(Signal.KILL);
            }
            calls.getpid();
            made.incrementAndGet();
          }
          return null;
        });
  }

  @Test
  void aProcessKilledFromOutsideAtAnyPointIsReported() throws Exception {
    for (int i = 0; i < 25; i++) {
      try (Target target = Target.start(16)) {
        int delay = i;
        Thread killer =
            Thread.ofVirtual()
                .start(
                    () -> {
                      LockSupport.parkNanos(delay * 100_000L);
                      target.child().kill(Signal.KILL);
                    });
        assertThat(HostFilesTest.errno(() -> callWithoutEnd(target))).isEqualTo(Errno.ESRCH);
        killer.join();
        assertThat(target.child().waitFor(LONG)).contains(new ExitStatus.Killed(9));
      }
    }
  }

  private static void callWithoutEnd(Target target) {
    RemoteCalls.in(
        target.child(),
        calls -> {
          while (true) {
            calls.getpid();
          }
        });
  }

  /** Its parent is another process, which must be able to collect it. */
  @Test
  void aProcessThatIsNotOurChildAndKilledInTheMiddleDoesNotStayOurs() throws Exception {
    Path pidFile = folder.resolve("pid");
    Path status = folder.resolve("status");
    String script =
        "sleep 300 & echo $! > %s; wait $!; echo $? > %s; sleep 300".formatted(pidFile, status);
    Child shell = Spawn.of(Path.of("/bin/sh"), List.of("-c", script)).start();
    while (!Files.exists(pidFile) || Files.size(pidFile) == 0) {
      Thread.sleep(1);
    }
    long pid = Long.parseLong(Files.readString(pidFile).strip());
    long ticks = ProcStat.of(pid).orElseThrow().startTicks();
    try (Adopted grandchild = Adopted.open(pid, ticks).orElseThrow()) {
      assertThat(
              HostFilesTest.errno(
                  () ->
                      RemoteCalls.in(
                          grandchild,
                          calls -> {
                            grandchild.kill(Signal.KILL);
                            return calls.getpid();
                          })))
          .isEqualTo(Errno.ESRCH);
      while (!Files.exists(status) || Files.size(status) == 0) {
        Thread.sleep(1);
      }
      assertThat(status).hasContent("137");
    } finally {
      shell.kill(Signal.KILL);
      shell.waitFor(LONG);
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

  /** It would go on in the middle of a call it never made. */
  @Test
  void aProcessWhoseTracerIsKilledInTheMiddleIsGone() throws Exception {
    Path log = folder.resolve("log");
    Path java = Path.of(ProcessHandle.current().info().command().orElseThrow());
    try (Target target = Target.start(16)) {
      Child tracer =
          Spawn.of(
                  java,
                  List.of(
                      "--enable-native-access=ALL-UNNAMED",
                      "-cp",
                      System.getProperty("java.class.path"),
                      LastingTracer.class.getName(),
                      Long.toString(target.pid()),
                      Long.toString(target.child().startTicks())))
              .log(log)
              .start();
      while (!Files.exists(log) || !Files.readString(log).contains("stopped")) {
        assertThat(tracer.alive()).as(() -> "tracer: " + log.toUri()).isTrue();
        Thread.sleep(1);
      }
      tracer.kill(Signal.KILL);
      assertThat(target.child().waitFor(LONG)).contains(new ExitStatus.Killed(9));
      assertThat(tracer.waitFor(LONG)).contains(new ExitStatus.Killed(9));
    }
  }

  /** Another program that stops a process and never lets it go. */
  static final class LastingTracer {
    private LastingTracer() {}

    public static void main(String[] arguments) {
      long pid = Long.parseLong(arguments[0]);
      Adopted process = Adopted.open(pid, Long.parseLong(arguments[1])).orElseThrow();
      RemoteCalls.in(
          process,
          Duration.ofMinutes(5),
          calls -> {
            System.out.println("stopped " + calls.getpid());
            return RemoteSessionTest.await(new CountDownLatch(1));
          });
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

  /** It waits for a child that has not executed its program yet, where no stop reaches it. */
  @Test
  void aProcessThatDoesNotComeToAStopIsLetGoUnharmed() throws Exception {
    Path fifo = folder.resolve("fifo");
    assertThat(CommandOutput.of("mkfifo", fifo.toString()).orElseThrow().success()).isTrue();
    Path log = folder.resolve("log");
    String script =
        """
        import os, sys
        actions = [(os.POSIX_SPAWN_OPEN, 0, sys.argv[1], os.O_RDONLY, 0)]
        pid = os.posix_spawn('/bin/true', ['true'], {}, file_actions=actions)
        print(os.waitpid(pid, 0)[1])
        """;
    Path python = Spawn.find("python3").orElseThrow();
    Child child = Spawn.of(python, List.of("-c", script, fifo.toString())).log(log).start();
    while (ProcStat.of(child.pid()).orElseThrow().state() != 'D') {
      Thread.sleep(1);
    }
    assertThatThrownBy(() -> RemoteCalls.in(child, SHORT, RemoteCalls::getpid))
        .isInstanceOf(LinuxException.class)
        .hasMessageContaining("let go because it did not stop in 300 ms")
        .hasMessageContaining("ETIMEDOUT");
    try (Target next = Target.start(16)) {
      assertThat(RemoteCalls.in(next.child(), RemoteCalls::getpid)).isEqualTo(next.pid());
    }
    Files.writeString(fifo, "");
    assertThat(child.waitFor(LONG)).contains(new ExitStatus.Exited(0));
    assertThat(log).hasContent("0");
  }

  @Test
  void workThatDoesNotEndCostsItsProcessAndNothingElse() throws Exception {
    CountDownLatch never = new CountDownLatch(1);
    try (Target target = Target.start(16);
        Target next = Target.start(16)) {
      assertThatThrownBy(() -> RemoteCalls.in(target.child(), SHORT, calls -> await(never)))
          .isInstanceOf(LinuxException.class)
          .hasMessageContaining("killed because calls in it did not end in 300 ms");
      assertThat(target.child().waitFor(LONG)).contains(new ExitStatus.Killed(9));
      assertThat(RemoteCalls.in(next.child(), RemoteCalls::getpid)).isEqualTo(next.pid());
    } finally {
      never.countDown();
    }
  }

  private static boolean await(CountDownLatch latch) {
    try {
      latch.await();
      return true;
    } catch (InterruptedException e) {
      throw new AssertionError(e);
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
