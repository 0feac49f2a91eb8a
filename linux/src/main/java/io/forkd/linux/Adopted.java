package io.forkd.linux;

import java.util.Optional;

/** A process some earlier forkd started, found again by its number and start time. */
public final class Adopted extends HostProcess implements AutoCloseable {
  private Adopted(long pid, long startTicks, Fd pidfd) {
    super(pid, startTicks, pidfd);
  }

  /**
   * Takes hold of a process.
   *
   * @param expectedStartTicks what {@link HostProcess#startTicks()} was; another process that has
   *     its number now is not adopted
   * @return empty when that process no longer runs
   */
  public static Optional<Adopted> open(long pid, long expectedStartTicks) {
    Fd pidfd;
    try {
      pidfd = ProcessCalls.pidfdOpen(pid);
    } catch (LinuxException e) {
      if (e.errno() == Errno.ESRCH || e.errno() == Errno.EINVAL) {
        return Optional.empty();
      }
      throw e;
    }
    // After pidfd_open: if the number changes hands in between, the start time cannot match.
    boolean same =
        ProcStat.of(pid)
            .filter(stat -> stat.startTicks() == expectedStartTicks && stat.running())
            .isPresent();
    if (!same) {
      pidfd.close();
      return Optional.empty();
    }
    Adopted adopted = new Adopted(pid, expectedStartTicks, pidfd);
    adopted.startWatching();
    return Optional.of(adopted);
  }

  @Override
  ExitStatus collect(Fd pidfd) {
    return new ExitStatus.Unknown();
  }

  /** Lets go of it; the process goes on. */
  @Override
  public void close() {
    stopWatching();
  }

  @Override
  public String toString() {
    return "adopted " + pid();
  }
}
