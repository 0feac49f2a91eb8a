package io.forkd.linux;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A short stop of a process's first thread in which it makes system calls for us. Its other threads
 * go on. Everything runs on the {@link PtraceThread}.
 */
final class Ptrace {
  /*
   * The process is never left in between: it goes on exactly where it was, or it is gone. Until its
   * registers are touched the tracer may give up or die and the process notices nothing. From then
   * on until they are back it is bound to the tracer's life (EXITKILL), and killed when the tracer
   * waits too long, because it would go on in the middle of a call it never made. That is why only
   * processes nobody has been given yet may be stopped.
   *
   * Stops are awaited blocking, which was measured to take half the time of looking for them: the
   * processor goes straight to the process and back. The caller keeps the time. A process deep in
   * the kernel may come to its first stop long after; it is then let go at once.
   *
   * Signals wait until the end: a handler would run in the middle of what we do. SIGSTOP cannot be
   * kept waiting; it takes effect when the process is let go.
   */

  /** For a whole session. */
  static final Duration PATIENCE = Duration.ofSeconds(10);

  private static final int EVENT_STOP = 128;
  private static final int SYSCALL_STOP = 5 | 0x80;
  private static final long ALL_SIGNALS = -1;

  /** How far it is; whoever changes it decides what becomes of the process. */
  private enum Phase {
    STOPPING,
    CALLING,
    GIVEN_UP
  }

  private final HostProcess process;
  private final AtomicReference<Phase> phase;
  private final PtraceCalls calls;
  private final PtraceRegisters layout = PtraceRegisters.host();
  private final MemorySegment saved;
  private final MemorySegment working;
  private long instruction;

  private Ptrace(HostProcess process, AtomicReference<Phase> phase, Arena arena) {
    this.process = process;
    this.phase = phase;
    this.calls = new PtraceCalls(process.pid(), arena);
    this.saved = arena.allocate(JAVA_LONG, layout.count);
    this.working = arena.allocate(JAVA_LONG, layout.count);
  }

  /** Stops the process, lets the work make calls in it, and lets it go on as if nothing was. */
  static <T extends @Nullable Object> T stopped(
      HostProcess process, Duration patience, Function<Ptrace, T> work) {
    AtomicReference<Phase> phase = new AtomicReference<>(Phase.STOPPING);
    try {
      return PtraceThread.run(
          patience,
          thread -> {
            try (Arena arena = Arena.ofConfined()) {
              return new Ptrace(process, phase, arena).run(thread, work);
            } catch (LinuxException e) {
              throw process.alive() ? e : gone(process);
            }
          });
    } catch (TimeoutException e) {
      boolean touched = phase.getAndSet(Phase.GIVEN_UP) != Phase.STOPPING;
      if (touched) {
        process.kill(Signal.KILL);
      }
      throw tooLong(process, patience, touched);
    }
  }

  /** A process that ends meanwhile makes calls fail in many ways; this is what they all mean. */
  private static LinuxException gone(HostProcess process) {
    return LinuxException.of("ptrace", Errno.ESRCH, "pid " + process.pid());
  }

  private static LinuxException tooLong(HostProcess process, Duration patience, boolean killed) {
    return LinuxException.of(
        "ptrace",
        Errno.ETIMEDOUT,
        "pid " + process.pid(),
        killed
            ? "killed because calls in it did not end in %d ms".formatted(patience.toMillis())
            : "let go because it did not stop in %d ms".formatted(patience.toMillis()));
  }

  private <T extends @Nullable Object> T run(PtraceThread thread, Function<Ptrace, T> work) {
    calls.seize(PtraceCalls.TRACESYSGOOD);
    calls.interrupt();
    awaitFirstStop();
    long mask = calls.signalMask();
    calls.readRegisters(saved);
    instruction = Vdso.syscallInstruction(pid());
    if (!phase.compareAndSet(Phase.STOPPING, Phase.CALLING)) {
      throw LinuxException.of("ptrace", Errno.ETIMEDOUT, "pid " + pid());
    }
    T result;
    try {
      calls.options(PtraceCalls.TRACESYSGOOD | PtraceCalls.EXITKILL);
      calls.signalMask(ALL_SIGNALS);
      result = work.apply(this);
    } catch (RuntimeException | Error e) {
      try {
        letGo(thread, mask);
      } catch (LinuxException again) {
        e.addSuppressed(again); // it is gone
      }
      throw e;
    }
    letGo(thread, mask);
    return result;
  }

  private void letGo(PtraceThread thread, long mask) {
    layout.restartInterruptedCall(saved);
    calls.writeRegisters(saved);
    calls.signalMask(mask);
    calls.detach();
    thread.free();
  }

  private void awaitFirstStop() {
    for (int stop = awaitStop(); stop >> 8 != EVENT_STOP; stop = awaitStop()) {
      calls.resume(stop >> 8 == 0 ? stop : 0); // a signal came first
    }
  }

  private int awaitStop() {
    int stop = calls.awaitStop();
    if (stop == 0) {
      throw gone(process);
    }
    return stop;
  }

  /** Makes one system call in the process: its result. */
  long call(String name, int number, long... arguments) {
    if (!working.scope().isAlive() || !working.isAccessibleBy(Thread.currentThread())) {
      throw new IllegalStateException(
          "%s can be called in pid %d only by the work it is stopped for".formatted(name, pid()));
    }
    working.copyFrom(saved);
    layout.prepareCall(working, instruction, number, arguments);
    calls.writeRegisters(working);
    runToKernelsDoor(); // going in
    runToKernelsDoor(); // coming out
    calls.readRegisters(working);
    long result = layout.result(working);
    if (result < 0 && result > -4096) {
      throw new LinuxException(name, LinuxException.texts("in pid " + pid()), (int) -result);
    }
    return result;
  }

  private void runToKernelsDoor() {
    calls.resumeToSyscall(0);
    for (int stop = awaitStop(); stop != SYSCALL_STOP; stop = awaitStop()) {
      calls.resumeToSyscall(stop >> 8 == 0 ? stop : 0); // SIGSTOP, or a stop it led to
    }
  }

  private long pid() {
    return process.pid();
  }
}
