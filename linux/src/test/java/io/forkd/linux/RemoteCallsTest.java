package io.forkd.linux;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class RemoteCallsTest {
  private static final Duration LONG = Duration.ofSeconds(30);
  private static final int PAGE = (int) ProcessCalls.sysconf(ProcessCalls.SC_PAGESIZE);

  @TempDir Path folder;
  private Child child = Spawn.of(Path.of("/bin/sleep"), List.of("300")).start();

  @AfterEach
  void kill() throws Exception {
    child.kill(Signal.KILL);
    assertThat(child.waitFor(LONG)).isPresent();
  }

  /** Until it is past its start-up and waits for time or input. */
  private void awaitAsleep() throws Exception {
    while (ProcStat.of(child.pid()).orElseThrow().state() != 'S'
        || Maps.of(child.pid()).orElseThrow().ofFile("[heap]").isEmpty()) {
      Thread.sleep(1);
    }
  }

  private void replaceChild(Spawn spawn) throws Exception {
    kill();
    child = spawn.start();
  }

  @Test
  void aProcessAsleepInTheKernelAnswersAndSleepsOn() throws Exception {
    awaitAsleep();
    for (int i = 0; i < 50; i++) {
      assertThat(RemoteCalls.in(child, RemoteCalls::getpid)).isEqualTo(child.pid());
    }
    assertThat(child.alive()).isTrue();
    assertThat(Files.readString(Path.of("/proc/%d/status".formatted(child.pid()))))
        .contains("TracerPid:\t0")
        .contains("SigBlk:\t0000000000000000");
  }

  @Test
  void interruptedCallsAreTakenUpAgainNotFailed() throws Exception {
    Path fifo = folder.resolve("fifo");
    assertThat(CommandOutput.of("mkfifo", fifo.toString()).orElseThrow().success()).isTrue();
    Path log = folder.resolve("log");
    replaceChild(Spawn.of(Path.of("/bin/cat"), List.of(fifo.toString())).log(log));
    try (Fd writer = HostFiles.open(fifo, OpenFlag.READ_WRITE)) {
      awaitAsleep();
      for (int i = 0; i < 20; i++) {
        RemoteCalls.in(child, RemoteCalls::getpid);
      }
      assertThat(writer.isOpen()).isTrue();
      Files.writeString(fifo, "still reading");
    }
    assertThat(child.waitFor(LONG)).contains(new ExitStatus.Exited(0));
    assertThat(log).hasContent("still reading");
  }

  /** What the main thread of a VMM waits in; called without a library that would try again. */
  @Test
  void waitsInPpollAndFutexGoOnUntilWhatTheyWaitForComes() throws Exception {
    Path fifo = folder.resolve("fifo");
    assertThat(CommandOutput.of("mkfifo", fifo.toString()).orElseThrow().success()).isTrue();
    Path log = folder.resolve("log");
    String script =
        """
        import ctypes, os, platform, struct, sys, threading
        libc = ctypes.CDLL(None, use_errno=True)
        futex = {'x86_64': 202, 'aarch64': 98}[platform.machine()]
        fifo = os.open(sys.argv[1], os.O_RDWR)
        waited = ctypes.create_string_buffer(struct.pack('ihh', fifo, 1, 0))
        print('waiting', flush=True)
        result = libc.ppoll(waited, ctypes.c_ulong(1), None, None)
        print('ppoll', result, ctypes.get_errno(), flush=True)
        os.read(fifo, 1)
        word = ctypes.c_int(7)
        def wake():
            os.read(fifo, 1)
            libc.syscall(ctypes.c_long(futex), ctypes.byref(word), 1, 1)
        threading.Thread(target=wake).start()
        result = libc.syscall(ctypes.c_long(futex), ctypes.byref(word), 0, 7, None)
        print('futex', result, ctypes.get_errno(), flush=True)
        """;
    Path python = Spawn.find("python3").orElseThrow();
    replaceChild(Spawn.of(python, List.of("-c", script, fifo.toString())).log(log));
    for (String said : List.of("waiting\n", "waiting\nppoll 1 0\n")) {
      while (!Files.exists(log) || !Files.readString(log).equals(said)) {
        Thread.sleep(1);
      }
      for (int i = 0; i < 50; i++) {
        awaitAsleep();
        RemoteCalls.in(child, RemoteCalls::getpid);
      }
      Files.writeString(fifo, "x");
    }
    assertThat(child.waitFor(LONG)).contains(new ExitStatus.Exited(0));
    assertThat(log).hasContent("waiting\nppoll 1 0\nfutex 0 0");
  }

  @Test
  void aBusyProcessUnderSignalsComputesOnCorrectly() throws Exception {
    Path log = folder.resolve("log");
    Path ready = folder.resolve("ready");
    String script =
        "trap : USR1; : > "
            + ready
            + "; i=0; s=0; while [ $i -lt 300000 ]; do i=$((i+1)); s=$((s+i)); done; echo $s";
    replaceChild(Spawn.of(Path.of("/bin/sh"), List.of("-c", script)).log(log));
    while (!Files.exists(ready)) {
      Thread.sleep(1);
    }
    for (int i = 0; i < 30 && child.alive(); i++) {
      child.kill(Signal.USR1);
      try {
        RemoteCalls.in(child, RemoteCalls::getpid);
      } catch (LinuxException e) {
        assertThat(e.errno()).isEqualTo(Errno.ESRCH);
      }
    }
    assertThat(child.waitFor(LONG)).contains(new ExitStatus.Exited(0));
    assertThat(log).hasContent("45000150000");
  }

  @Test
  void aUserfaultfdOfAnotherProcessTellsWhatItsMemoryHadWritten() throws Exception {
    awaitAsleep();
    if (!Tracking.works()) {
      return;
    }
    MemoryArea heap = Maps.of(child.pid()).orElseThrow().ofFile("[heap]").getFirst();
    var before = descriptorsOfChild();
    int number = RemoteCalls.in(child, RemoteCalls::openUserfaultfd);
    assertThat(descriptorsOfChild()).isNotEqualTo(before);
    try (Userfaultfd faults = Userfaultfd.ofProcess(child, number);
        PageMap pagemap = PageMap.open(child.pid());
        Mapping page = Mapping.anonymous(PAGE)) {
      faults.registerForWriteProtection(heap);
      assertThat(pagemap.writtenSinceProtected(heap, true)).isNotEmpty();
      assertThat(pagemap.writtenSinceProtected(heap, false)).isEmpty();
      PageRange second = new PageRange(PAGE, PAGE);
      ProcessMemory.write(child.pid(), heap, List.of(second), page);
      assertThat(pagemap.writtenSinceProtected(heap, true)).containsExactly(second);
    }
    RemoteCalls.in(
        child,
        calls -> {
          calls.close(number);
          return null;
        });
    assertThat(descriptorsOfChild()).isEqualTo(before);
  }

  private List<Path> descriptorsOfChild() {
    try (var entries = Files.list(Path.of("/proc/%d/fd".formatted(child.pid())))) {
      return entries.sorted().toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void aFileCanBeMappedOverAnotherProcessesMemory() throws Exception {
    try (Memfd memfd = Memfd.create("delta", 4L * PAGE);
        Mapping read = Mapping.anonymous(PAGE)) {
      FileIo.pwrite(memfd.fd(), ByteBuffer.wrap(new byte[] {1, 2, 3}), 2L * PAGE);
      replaceChild(Spawn.of(Path.of("/bin/sleep"), List.of("300")).descriptor(memfd.fd(), 5));
      awaitAsleep();
      MemoryArea heap = Maps.of(child.pid()).orElseThrow().ofFile("[heap]").getFirst();
      PageRange third = new PageRange(2L * PAGE, PAGE);
      RemoteCalls.in(
          child,
          calls -> {
            calls.mapOver(heap, third, 5, 2L * PAGE);
            return null;
          });
      ProcessMemory.read(child.pid(), heap, List.of(third), read);
      assertThat(read.read(0, 3)).containsExactly(1, 2, 3);
      assertThatThrownBy(() -> mapOver(heap, new PageRange(heap.size(), PAGE), 5))
          .isInstanceOf(IllegalArgumentException.class);
      assertThat(HostFilesTest.errno(() -> mapOver(heap, third, 77))).isEqualTo(Errno.EBADF);
      assertThat(child.alive()).isTrue();
    }
  }

  private void mapOver(MemoryArea area, PageRange range, int descriptor) {
    RemoteCalls.in(
        child,
        calls -> {
          calls.mapOver(area, range, descriptor, 0);
          return null;
        });
  }
}
