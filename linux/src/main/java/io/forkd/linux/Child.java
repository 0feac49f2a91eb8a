package io.forkd.linux;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * A process started by {@link Spawn}; it is reaped as soon as it ends, whether anyone waits or not.
 */
public final class Child extends HostProcess {
  private static final int CLD_EXITED = 1;

  private Child(long pid, long startTicks, Fd pidfd) {
    super(pid, startTicks, pidfd);
  }

  /** Takes charge of a process just started: until it is reaped its number stays its own. */
  static Child started(long pid) {
    try {
      Fd pidfd = ProcessCalls.pidfdOpen(pid);
      try {
        long startTicks = ProcStat.of(pid).map(ProcStat::startTicks).orElse(0L);
        Child child = new Child(pid, startTicks, pidfd);
        child.startWatching();
        return child;
      } catch (RuntimeException e) {
        pidfd.close();
        throw e;
      }
    } catch (RuntimeException e) {
      ProcessCalls.killAndReap(pid); // nobody will hold it, so it must not stay
      throw e;
    }
  }

  @Override
  ExitStatus collect(Fd pidfd) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment siginfo = arena.allocate(ProcessCalls.SIGINFO_SIZE, Long.BYTES);
      ProcessCalls.waitid(pidfd.number(), siginfo);
      int status = siginfo.get(JAVA_INT, ProcessCalls.SIGINFO_STATUS_OFFSET);
      return siginfo.get(JAVA_INT, ProcessCalls.SIGINFO_CODE_OFFSET) == CLD_EXITED
          ? new ExitStatus.Exited(status)
          : new ExitStatus.Killed(status);
    } catch (LinuxException e) {
      return new ExitStatus.Unknown(); // someone else in this JVM collected it
    }
  }

  @Override
  public String toString() {
    return "child " + pid();
  }
}
