package io.forkd.vmm;

import io.forkd.base.ErrorCode;
import io.forkd.base.ForkdException;
import io.forkd.linux.HostProcess;
import io.forkd.linux.Signal;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;

/** A guest in one QEMU process. */
final class QemuVm implements VirtualMachine {
  private static final Duration LOAD_WAIT = Duration.ofSeconds(60);
  private static final int CONSOLE_TAIL = 16 * 1024;

  private final VmSite site;
  private final HostProcess process;
  private final Qmp qmp;
  private final String deviceStateAddress;
  private final OptionalInt writeTracker;
  private final Precopy precopy;
  private volatile Optional<GuestStop> guestStop = Optional.empty();

  QemuVm(
      VmSite site,
      HostProcess process,
      Qmp qmp,
      String deviceStateAddress,
      OptionalInt writeTracker) {
    this.site = site;
    this.process = process;
    this.qmp = qmp;
    this.deviceStateAddress = deviceStateAddress;
    this.writeTracker = writeTracker;
    this.precopy = new Precopy(site, process, qmp, this::saveDeviceState);
  }

  @Override
  public HostProcess process() {
    return process;
  }

  @Override
  public Path agentSocket() {
    return site.agentSocket();
  }

  @Override
  public OptionalInt writeTracker() {
    return writeTracker;
  }

  @Override
  public void pause() {
    qmp.execute("stop");
  }

  @Override
  public void resume() {
    qmp.execute("cont");
  }

  @Override
  public MemoryCopy streamMemory(long guestBytes, PageSink sink) {
    return precopy.run(guestBytes, sink);
  }

  /** Ends a copy of its memory that another daemon began. */
  void endStream() {
    precopy.end();
  }

  /** From now on the process ends when the guest stops; why it stopped is noted first. */
  QemuVm endWithGuest() {
    qmp.onGuestStop(this::guestStopped);
    return this;
  }

  /** Ends the process whose guest has stopped while nobody listened. */
  void endIfGuestStopped() {
    if (qmp.execute("query-status").path("status").asString("").equals("shutdown")) {
      guestStopped();
    }
  }

  private void guestStopped() {
    guestStop = Optional.of(GuestStop.of(consoleTail()));
    process.kill(Signal.KILL);
  }

  @Override
  public Optional<GuestStop> guestStop() {
    return guestStop;
  }

  @Override
  public boolean running() {
    return qmp.execute("query-status").path("running").asBoolean(false);
  }

  /** Despite its name the command has nothing to do with Xen: it saves everything but memory. */
  @Override
  public void saveDeviceState() {
    qmp.execute(
        "xen-save-devices-state", Map.of("filename", QemuCommand.savedStatePath(), "live", false));
  }

  @Override
  public byte[] deviceState() {
    return SavedState.of(process, QemuCommand.SAVED_STATE_FD);
  }

  @Override
  public void loadDeviceState() {
    qmp.execute("migrate-incoming", Map.of("uri", deviceStateAddress));
    Waiting waiting = new Waiting("load the device state", LOAD_WAIT);
    while (true) {
      String status = qmp.execute("query-migrate").path("status").asString("none");
      switch (status) {
        case "completed" -> {
          return;
        }
        case "failed", "cancelled" ->
            throw new ForkdException(
                ErrorCode.GUEST_FAILED,
                "QEMU could not load the device state" + VmmLog.lastWords(site));
        default -> waiting.aMoment();
      }
    }
  }

  @Override
  public String consoleTail() {
    try {
      return qmp.execute(
              "ringbuf-read", Map.of("device", QemuCommand.CONSOLE, "size", CONSOLE_TAIL * 4))
          .asString("");
    } catch (ForkdException e) {
      return "";
    }
  }

  @Override
  public void kill(Duration wait) {
    process.kill(Signal.KILL);
    try {
      if (!endsWithin(process, wait)) {
        throw new ForkdException(
            ErrorCode.HOST_FAILED,
            "QEMU process %d did not end within %d s of SIGKILL"
                .formatted(process.pid(), wait.toSeconds()));
      }
    } finally {
      close();
    }
  }

  /**
   * Waits for the end of a killed process, also when interrupted: what it used must not be given to
   * others, or removed under it, before it is gone.
   */
  static boolean endsWithin(HostProcess process, Duration wait) {
    long deadline = System.nanoTime() + wait.toNanos();
    boolean interrupted = Thread.interrupted();
    try {
      while (true) {
        try {
          return process.waitFor(Duration.ofNanos(deadline - System.nanoTime())).isPresent();
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  @Override
  public void close() {
    qmp.close();
  }
}
