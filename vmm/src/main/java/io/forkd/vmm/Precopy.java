package io.forkd.vmm;

import io.forkd.linux.HostProcess;
import io.forkd.linux.LinuxException;
import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Copies a running guest's memory by QEMU's own migration: QEMU sends all of it to a socket of
 * ours, again what the guest writes meanwhile, and stops the guest when little is left. Nothing is
 * migrated: the guest goes on where it is.
 *
 * <p>Before 9.0 an emulating QEMU may lose sight of a page: once it has reported a write to it, it
 * forgets to watch it again. So only the first report of each page is relied on, and the guest is
 * stopped for a moment while the watch begins: QEMU drops then what emulated CPUs remember of pages
 * they may write unseen, and no CPU runs before the first look.
 */
final class Precopy {
  /** QEMU stops the guest when it expects to send the rest in this time. */
  private static final int DOWNTIME_LIMIT_MS = 5;

  private static final long NO_BANDWIDTH_LIMIT = 1L << 40;

  /** How long a guest may write faster than it is copied. */
  private static final Duration PATIENCE = Duration.ofSeconds(6);

  /** Far above what any of QEMU's steps takes. */
  static final Duration WAIT = Duration.ofSeconds(30);

  private static final Duration PATIENCE_PER_GIB = Duration.ofSeconds(6);
  private static final Set<String> OVER = Set.of("none", "completed", "failed", "cancelled");

  private final VmSite site;
  private final HostProcess process;
  private final Qmp qmp;
  private final Runnable saveDeviceState;

  Precopy(VmSite site, HostProcess process, Qmp qmp, Runnable saveDeviceState) {
    this.site = site;
    this.process = process;
    this.qmp = qmp;
    this.saveDeviceState = saveDeviceState;
  }

  /** Copies; the guest stands still afterwards only when the copy is whole. */
  MemoryCopy run(long guestBytes, PageSink sink) {
    try {
      ImagePages.makeAll(process, guestBytes);
      long pausedSince = stream(guestBytes, sink);
      String status = awaitEnd();
      if (status.equals("completed")) {
        return new MemoryCopy.Whole(pausedSince);
      }
      goOn();
      return new MemoryCopy.GivenUp("QEMU's migration " + status + whyFailed());
    } catch (IOException | LinuxException e) {
      goOn();
      return new MemoryCopy.GivenUp(e.getMessage() + whyFailed());
    } catch (RuntimeException e) {
      goOn();
      throw e;
    }
  }

  /** Since when the guest would be paused, had its two pauses been one. */
  private long stream(long guestBytes, PageSink sink) throws IOException {
    try (StreamListener listener = StreamListener.open(site)) {
      qmp.execute(
          "migrate-set-capabilities",
          Map.of(
              "capabilities",
              List.of(Map.of("capability", "pause-before-switchover", "state", true))));
      qmp.execute(
          "migrate-set-parameters",
          Map.of("max-bandwidth", NO_BANDWIDTH_LIMIT, "downtime-limit", DOWNTIME_LIMIT_MS));
      long firstPause = System.nanoTime();
      qmp.execute("stop");
      qmp.execute("migrate", Map.of("uri", "unix:" + site.streamSocket()));
      try (SocketChannel channel = listener.accept(() -> !status().equals("failed"))) {
        RamStream memory = new RamStream(new StreamInput(channel), guestBytes, sink);
        memory.readBlocks();
        try (Switchover switchover = new Switchover(this, channel, patience(guestBytes))) {
          qmp.execute("cont");
          long firstPaused = System.nanoTime() - firstPause;
          switchover.during(memory::readPages);
          return switchover.stoppedAt() - firstPaused;
        }
      }
    }
  }

  private static Duration patience(long guestBytes) {
    return PATIENCE.plus(PATIENCE_PER_GIB.multipliedBy(guestBytes >>> 30));
  }

  Qmp qmp() {
    return qmp;
  }

  /**
   * Has QEMU send the rest. Device state is saved first, because devices write into memory also
   * while nothing runs, and memory must not be older than they are.
   */
  void finish() {
    Waiting waiting = new Waiting("be ready to send the rest of its memory", WAIT);
    while (!status().equals("pre-switchover")) {
      waiting.aMoment();
    }
    saveDeviceState.run();
    qmp.execute("migrate-continue", Map.of("state", "pre-switchover"));
  }

  /**
   * Ends a copy under way, also one that an earlier daemon began. The guest may stand still
   * afterwards, and can then be resumed.
   */
  void end() {
    if (!OVER.contains(status())) {
      qmp.execute("migrate_cancel");
      awaitEnd();
    }
    // QEMU has the guest go on after it has noted the end; until then it refuses to.
    Waiting waiting = new Waiting("finish its migration", WAIT);
    while (runState().equals("finish-migrate")) {
      waiting.aMoment();
    }
  }

  private void goOn() {
    end();
    qmp.execute("cont");
  }

  private String awaitEnd() {
    Waiting waiting = new Waiting("end its migration", WAIT);
    String status = status();
    while (!OVER.contains(status)) {
      waiting.aMoment();
      status = status();
    }
    return status;
  }

  private String runState() {
    return qmp.execute("query-status").path("status").asString("");
  }

  private String status() {
    return qmp.execute("query-migrate").path("status").asString("none");
  }

  private String whyFailed() {
    String reason = qmp.execute("query-migrate").path("error-desc").asString("");
    return reason.isEmpty() ? "" : " (%s)".formatted(reason);
  }
}
