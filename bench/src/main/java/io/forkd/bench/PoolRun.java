package io.forkd.bench;

import io.forkd.base.ErrorCode;
import io.forkd.base.ForkdException;
import io.forkd.client.ForkdClient;
import io.forkd.client.PoolInfo;
import io.forkd.client.SandboxInfo;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** A pool as large as a run needs, and the size it had before afterwards. */
final class PoolRun {
  /** A child that takes longer than this to park will not come. */
  private static final Duration STALL = Duration.ofMinutes(3);

  private static final Duration LOOK = Duration.ofMillis(250);

  private final ForkdClient client;
  private final String tag;
  private final Narrator narrator;

  PoolRun(ForkdClient client, String tag, Narrator narrator) {
    this.client = client;
    this.tag = tag;
    this.narrator = narrator;
  }

  /** Resizes the pool until the mark is closed. */
  Undo.Mark resize(int warm, Undo undo) {
    int before = size();
    Undo.Mark mark =
        undo.remember(
            "setting the pool of %s back to %d".formatted(tag, before),
            () -> client.setPool(tag, before));
    client.setPool(tag, warm);
    return mark;
  }

  private int size() {
    return client.pools().stream()
        .filter(pool -> pool.tag().equals(tag))
        .mapToInt(PoolInfo::warm)
        .findFirst()
        .orElse(0);
  }

  /** Waits until all are parked; returns how long that took. */
  double awaitFull(int warm) {
    Stopwatch watch = new Stopwatch();
    Stopwatch sinceLast = watch;
    int last = -1;
    while (true) {
      PoolInfo pool = find();
      if (pool.ready() >= warm) {
        return watch.millis();
      }
      if (pool.ready() > last) {
        last = pool.ready();
        sinceLast = new Stopwatch();
      }
      if (sinceLast.millis() > STALL.toMillis()) {
        throw new ForkdException(
            ErrorCode.TIMEOUT,
            "The pool of %s stays at %d of %d children for %d s%s. Next: `forkd pool ls` and `forkd daemon logs`."
                .formatted(
                    tag,
                    pool.ready(),
                    warm,
                    STALL.toSeconds(),
                    pool.lastError().map(" (%s)"::formatted).orElse("")));
      }
      narrator.goesOn(
          "Filling the pool: %d of %d (%.0f s)"
              .formatted(pool.ready(), warm, watch.millis() / 1e3));
      pause();
    }
  }

  private PoolInfo find() {
    return client.pools().stream()
        .filter(pool -> pool.tag().equals(tag))
        .findFirst()
        .orElseThrow(
            () ->
                new ForkdException(
                    ErrorCode.CONFLICT,
                    "The pool of %s was ended by somebody else during the benchmark."
                        .formatted(tag)));
  }

  /** The memory of the children that are parked now. */
  List<ProcessReading> parked(Path run, long guestRamBytes) {
    Set<Long> taken = client.sandboxes().stream().map(SandboxInfo::pid).collect(Collectors.toSet());
    return VmProcesses.under(run).stream()
        .filter(pid -> !taken.contains(pid))
        .flatMap(pid -> ProcessReading.of(pid, guestRamBytes).stream())
        .toList();
  }

  private static void pause() {
    try {
      Thread.sleep(LOOK);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    }
  }
}
