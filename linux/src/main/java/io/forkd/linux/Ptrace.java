package io.forkd.linux;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A short stop of a process's first thread in which it makes system calls for us. Its other threads
 * go on. Everything runs on the {@link PtraceThread}.
 */
final class Ptrace {
  /*
   * The process is never left in between: either it goes on exactly where it was, or it is gone.
   * Until its registers are touched the tracer may vanish at any time and the process notices
   * nothing. From then on until they are back it is bound to the tracer's life (EXITKILL), because
   * it would go on in the middle of a call it never made. That is why only processes nobody has
   * been given yet may be stopped.
   *
   * Signals wait until the end: a handler would run in the middle of what we do. SIGSTOP cannot be
   * kept waiting; it takes effect when the process is let go.
   */

  /** For all stops of one session together. */
  static final Duration PATIENCE = Duration.ofSeconds(10);

  private static final Duration PATIENCE_TO_RECOVER = Duration.ofSeconds(2);
  private static final long SPIN_NANOS = 50_000;
  private static final long BETWEEN_LOOKS_NANOS = 20_000;
  private static final int EVENT_STOP = 128;
  private static final int SYSCALL_STOP = 5 | 0x80;
  private static final long ALL_SIGNALS = -1;

  /** What the process is doing on our behalf. */
  private enum State {
    STOPPED,
    ENTERING_CALL,
    LEAVING_CALL
  }

  private final HostProcess process;
  private final PtraceCalls calls;
  private final PtraceRegisters layout = PtraceRegisters.host();
  private final MemorySegment saved;
  private final MemorySegment working;
  private final long instruction;
  private long deadline;
  private State state = State.STOPPED;

  private Ptrace(HostProcess process, Duration patience, Arena arena) {
    this.process = process;
    this.calls = new PtraceCalls(process.pid(), arena);
    this.saved = arena.allocate(JAVA_LONG, layout.count);
    this.working = arena.allocate(JAVA_LONG, layout.count);
    this.instruction = findInstruction();
    this.deadline = System.nanoTime() + patience.toNanos();
  }

  /** Stops the process, lets the work make calls in it, and lets it go on as if nothing was. */
  static <T extends @Nullable Object> T stopped(
      HostProcess process, Duration patience, Function<Ptrace, T> work) {
    return PtraceThread.run(
        thread -> {
          try (Arena arena = Arena.ofConfined()) {
            return new Ptrace(process, patience, arena).run(thread, work);
          } catch (LinuxException e) {
            throw process.alive() ? e : gone(process);
          }
        });
  }

  /** A process that ends meanwhile makes calls fail in many ways; this is what they all mean. */
  private static LinuxException gone(HostProcess process) {
    return LinuxException.of("ptrace", Errno.ESRCH, "pid " + process.pid());
  }

  private <T extends @Nullable Object> T run(PtraceThread thread, Function<Ptrace, T> work) {
    calls.seize(PtraceCalls.TRACESYSGOOD);
    thread.tracing(true);
    calls.interrupt();
    awaitFirstStop();
    long mask = calls.signalMask();
    calls.readRegisters(saved);
    calls.options(PtraceCalls.TRACESYSGOOD | PtraceCalls.EXITKILL);
    calls.signalMask(ALL_SIGNALS);
    T result;
    try {
      result = work.apply(this);
    } catch (RuntimeException | Error e) {
      try {
        letGo(mask);
        thread.tracing(false);
      } catch (LinuxException again) {
        e.addSuppressed(again);
      }
      throw e;
    }
    letGo(mask);
    thread.tracing(false);
    return result;
  }

  private void awaitFirstStop() {
    int stop = awaitStop();
    while (stop >> 8 != EVENT_STOP) {
      calls.resume(stop >> 8 == 0 ? stop : 0); // a signal came first
      stop = awaitStop();
    }
  }

  private void letGo(long mask) {
    if (state != State.STOPPED) {
      deadline = System.nanoTime() + PATIENCE_TO_RECOVER.toNanos();
      calls.interrupt();
      finishCall(true);
    }
    layout.restartInterruptedCall(saved);
    calls.writeRegisters(saved);
    calls.signalMask(mask);
    calls.detach();
  }

  /** Makes one system call in the process: its result. */
  long call(String name, int number, long... arguments) {
    if (state != State.STOPPED) {
      throw new IllegalStateException("an earlier call in pid %d did not end".formatted(pid()));
    }
    working.copyFrom(saved);
    layout.prepareCall(working, instruction, number, arguments);
    calls.writeRegisters(working);
    state = State.ENTERING_CALL;
    calls.resumeToSyscall(0);
    finishCall(false);
    calls.readRegisters(working);
    long result = layout.result(working);
    if (result < 0 && result > -4096) {
      throw new LinuxException(name, LinuxException.texts("in pid " + pid()), (int) -result);
    }
    return result;
  }

  /**
   * Waits until the call is over.
   *
   * @param givingUp whether a call that has not begun yet is not to begin any more
   */
  private void finishCall(boolean givingUp) {
    while (state != State.STOPPED) {
      int stop = awaitStop();
      boolean atCall = stop == SYSCALL_STOP;
      boolean beforeCall = stop >> 8 == EVENT_STOP && state == State.ENTERING_CALL;
      if ((atCall && state == State.LEAVING_CALL) || (givingUp && beforeCall)) {
        state = State.STOPPED;
      } else {
        state = atCall ? State.LEAVING_CALL : state;
        calls.resumeToSyscall(stop >> 8 == 0 && !atCall ? stop : 0);
      }
    }
  }

  private int awaitStop() {
    long spinEnd = System.nanoTime() + SPIN_NANOS;
    while (true) {
      int stop = calls.stop();
      if (stop != 0) {
        return stop;
      }
      long now = System.nanoTime();
      if (now - spinEnd < 0) {
        Thread.onSpinWait();
      } else if (!process.alive()) {
        throw gone(process);
      } else if (now - deadline > 0) {
        throw LinuxException.of("ptrace", Errno.ETIMEDOUT, "pid " + pid());
      } else {
        LockSupport.parkNanos(BETWEEN_LOOKS_NANOS);
      }
    }
  }

  private long pid() {
    return process.pid();
  }

  /** In the vdso, which every process has and which no other thread can change. */
  private long findInstruction() {
    MemoryArea vdso =
        Maps.of(pid()).stream()
            .flatMap(maps -> maps.ofFile("[vdso]").stream())
            .findFirst()
            .orElseThrow(() -> LinuxException.of("ptrace", Errno.ENOENT, "vdso of pid " + pid()));
    try (Mapping code = Mapping.anonymous(vdso.size())) {
      ProcessMemory.read(pid(), vdso, List.of(new PageRange(0, vdso.size())), code);
      long found = layout.findInstruction(code.segment());
      if (found < 0) {
        throw LinuxException.of("ptrace", Errno.ENOEXEC, "vdso of pid " + pid());
      }
      return vdso.start() + found;
    }
  }
}
