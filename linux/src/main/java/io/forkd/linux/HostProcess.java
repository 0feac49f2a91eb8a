package io.forkd.linux;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * A process of this host, held by a pidfd so that its number cannot come to mean another one. The
 * pidfd is closed when the process ends; nothing has to be closed by the holder.
 */
public abstract sealed class HostProcess permits Child, Adopted {
  private final long pid;
  private final long startTicks;
  private final Fd pidfd;
  private long watchKey;
  private final CompletableFuture<ExitStatus> exit = new CompletableFuture<>();

  HostProcess(long pid, long startTicks, Fd pidfd) {
    this.pid = pid;
    this.startTicks = startTicks;
    this.pidfd = pidfd;
  }

  /** What the kernel tells about the end, asked once, when it has come. */
  abstract ExitStatus collect(Fd pidfd);

  final synchronized void startWatching() {
    watchKey = ExitWatcher.shared().watch(pidfd, this::ended);
  }

  private void ended() {
    ExitStatus status;
    synchronized (this) {
      if (!pidfd.isOpen()) {
        return;
      }
      status = collect(pidfd);
      ExitWatcher.shared().forget(pidfd, watchKey);
      pidfd.close();
    }
    exit.complete(status);
  }

  final synchronized void stopWatching() {
    if (pidfd.isOpen()) {
      ExitWatcher.shared().forget(pidfd, watchKey);
      pidfd.close();
    }
    exit.complete(new ExitStatus.Unknown());
  }

  public final long pid() {
    return pid;
  }

  /** Clock ticks from boot to its start: with the pid and the boot id, its identity. */
  public final long startTicks() {
    return startTicks;
  }

  /**
   * Sends a signal.
   *
   * @return false when the process has already ended
   */
  public final synchronized boolean kill(Signal signal) {
    if (!pidfd.isOpen()) {
      return false;
    }
    int result = ProcessCalls.tryPidfdSendSignal(pidfd.number(), signal.number());
    if (result < 0 && Errno.of(-result) != Errno.ESRCH) {
      throw new LinuxException(
          "pidfd_send_signal", LinuxException.texts("pid " + pid, signal), -result);
    }
    return result == 0;
  }

  public final synchronized boolean alive() {
    return pidfd.isOpen() && !ProcessCalls.readable(pidfd.number());
  }

  /** Completes when the process has ended. */
  public final CompletableFuture<ExitStatus> exit() {
    return exit.copy();
  }

  /** How it ended, or empty when it is still running after that time. */
  public final Optional<ExitStatus> waitFor(Duration atMost) throws InterruptedException {
    try {
      return Optional.of(exit.get(Math.max(0, atMost.toNanos()), TimeUnit.NANOSECONDS));
    } catch (TimeoutException e) {
      return Optional.empty();
    } catch (ExecutionException e) {
      throw new IllegalStateException("the exit of a process never completes with a failure", e);
    }
  }

  /** A copy of a descriptor of that process; needs the right to trace it. */
  public final synchronized Fd descriptor(int number) {
    if (!pidfd.isOpen()) {
      throw LinuxException.of("pidfd_getfd", Errno.ESRCH, "pid " + pid, number);
    }
    return ProcessCalls.pidfdGetfd(pidfd.number(), number);
  }
}
