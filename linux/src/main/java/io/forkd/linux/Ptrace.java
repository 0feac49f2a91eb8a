package io.forkd.linux;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;

/**
 * A short stop of a process's first thread in which it makes system calls for us. Its other threads
 * go on. Everything runs on one platform thread made for the stop, as ptrace demands.
 */
final class Ptrace {
  private static final int SIGTRAP = 5;
  private static final int EVENT_STOP = SIGTRAP | 128 << 8;
  private static final int SYSCALL_STOP = SIGTRAP | 0x80;
  private static final long ALL_BUT_SIGTRAP = ~(1L << (SIGTRAP - 1));
  private static final Duration BETWEEN_LOOKS = Duration.ofNanos(20_000);
  private static final Duration PATIENCE = Duration.ofSeconds(5);

  private final HostProcess process;
  private final int pid;
  private final PtraceRegisters layout = PtraceRegisters.host();
  private final MemorySegment saved;
  private final MemorySegment working;
  private final long instruction;

  private Ptrace(HostProcess process, Arena arena) {
    this.process = process;
    this.pid = (int) process.pid();
    this.saved = arena.allocate(JAVA_LONG, layout.count);
    this.working = arena.allocate(JAVA_LONG, layout.count);
    this.instruction = findInstruction();
  }

  /** Stops the process, lets the work make calls in it, and lets it go on as if nothing was. */
  static <T> T stopped(HostProcess process, Function<Ptrace, T> work) {
    CompletableFuture<T> result = new CompletableFuture<>();
    Thread thread =
        Thread.ofPlatform()
            .name("forkd-ptrace-" + process.pid())
            .start(
                () -> {
                  try (Arena arena = Arena.ofConfined()) {
                    result.complete(new Ptrace(process, arena).run(work));
                  } catch (LinuxException e) {
                    result.completeExceptionally(process.alive() ? e : gone(process));
                  } catch (RuntimeException | Error e) {
                    result.completeExceptionally(e);
                  }
                });
    try {
      thread.join();
      return result.join();
    } catch (CompletionException e) {
      if (e.getCause() instanceof RuntimeException cause) {
        throw cause;
      }
      throw e;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while %s was stopped".formatted(process), e);
    }
  }

  /** A process that ends meanwhile makes calls fail in many ways; this is what they all mean. */
  private static LinuxException gone(HostProcess process) {
    return LinuxException.of("ptrace", Errno.ESRCH, "pid " + process.pid());
  }

  private <T> T run(Function<Ptrace, T> work) {
    PtraceCalls.ptrace("PTRACE_SEIZE", PtraceCalls.SEIZE, pid, PtraceCalls.TRACESYSGOOD);
    PtraceCalls.ptrace("PTRACE_INTERRUPT", PtraceCalls.INTERRUPT, pid, 0);
    awaitStop(EVENT_STOP);
    long mask = PtraceCalls.signalMask(pid);
    PtraceCalls.registers(PtraceCalls.GETREGSET, pid, saved);
    try {
      // Signals wait until the end: a handler would run in the middle of what we do.
      PtraceCalls.signalMask(pid, ALL_BUT_SIGTRAP);
      return work.apply(this);
    } finally {
      if (process.alive()) {
        layout.restartInterruptedCall(saved);
        PtraceCalls.registers(PtraceCalls.SETREGSET, pid, saved);
        PtraceCalls.signalMask(pid, mask);
        PtraceCalls.ptrace("PTRACE_DETACH", PtraceCalls.DETACH, pid, 0);
      }
    }
  }

  /** Makes one system call in the process: its result. */
  long call(String name, int number, long... arguments) {
    working.copyFrom(saved);
    layout.prepareCall(working, instruction, number, arguments);
    PtraceCalls.registers(PtraceCalls.SETREGSET, pid, working);
    for (int entryThenExit = 0; entryThenExit < 2; entryThenExit++) {
      PtraceCalls.ptrace("PTRACE_SYSCALL", PtraceCalls.SYSCALL, pid, 0);
      awaitStop(SYSCALL_STOP);
    }
    PtraceCalls.registers(PtraceCalls.GETREGSET, pid, working);
    long result = layout.result(working);
    if (result < 0 && result > -4096) {
      throw new LinuxException(name, LinuxException.texts("in pid " + pid), (int) -result);
    }
    return result;
  }

  private void awaitStop(int wanted) {
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    while (true) {
      int stop = PtraceCalls.stopped(pid);
      if (stop == wanted) {
        return;
      }
      if (stop != 0) {
        // A signal came first: it is delivered, and the stop we asked for follows.
        PtraceCalls.ptrace("PTRACE_CONT", PtraceCalls.CONT, pid, stop >> 8 == 0 ? stop : 0);
      } else if (!process.alive()) {
        throw gone(process);
      } else if (System.nanoTime() > deadline) {
        throw LinuxException.of("ptrace", Errno.ETIMEDOUT, "pid " + pid);
      }
      LockSupport.parkNanos(BETWEEN_LOOKS.toNanos());
    }
  }

  /** In the vdso, which every process has and which no other thread can change. */
  private long findInstruction() {
    MemoryArea vdso =
        Maps.of(pid).stream()
            .flatMap(maps -> maps.ofFile("[vdso]").stream())
            .findFirst()
            .orElseThrow(() -> LinuxException.of("ptrace", Errno.ENOENT, "vdso of pid " + pid));
    try (Mapping code = Mapping.anonymous(vdso.size())) {
      ProcessMemory.read(pid, vdso, List.of(new PageRange(0, vdso.size())), code);
      long found = layout.findInstruction(code.segment());
      if (found < 0) {
        throw LinuxException.of("ptrace", Errno.ENOEXEC, "vdso of pid " + pid);
      }
      return vdso.start() + found;
    }
  }
}
