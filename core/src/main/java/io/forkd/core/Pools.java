package io.forkd.core;

import io.forkd.base.ForkdException;
import io.forkd.base.SandboxId;
import io.forkd.base.Tag;
import io.forkd.linux.ProcStat;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;

/**
 * All pools, and the one thread that refills them. Refilling waits for quiet moments and, over
 * time, uses no more than its CPU budget.
 */
final class Pools implements AutoCloseable {
  static final int MOST_WARM = 1000;
  private static final Duration LONGEST_COURTESY = Duration.ofSeconds(3);
  private static final Duration AFTER_FAILURE = Duration.ofSeconds(5);

  private final Templates templates;
  private final Forker forker;
  private final Identities identities;
  private final Foreground foreground;
  private final double cpuBudget;
  private final PoolFile file;
  private final Map<Tag, Pool> byTag = new ConcurrentHashMap<>();
  private final Semaphore work = new Semaphore(0);
  private final Thread refiller;
  private volatile boolean closed;

  /**
   * Starts with the pools an earlier daemon had.
   *
   * @param cpuBudget cores refilling may use on average
   */
  Pools(
      Templates templates,
      Forker forker,
      Identities identities,
      Foreground foreground,
      double cpuBudget,
      PoolFile file) {
    this.templates = templates;
    this.forker = forker;
    this.identities = identities;
    this.foreground = foreground;
    this.cpuBudget = cpuBudget;
    this.file = file;
    file.read().forEach((tag, warm) -> pool(tag).resize(warm));
    refiller = Thread.ofVirtual().name("pool-refill").start(this::refillForever);
    work.release();
  }

  PoolStatus set(Tag tag, int warm) {
    if (warm < 0 || warm > MOST_WARM) {
      throw ForkdException.badRequest("warm is %d: use 0 to %d.", warm, MOST_WARM);
    }
    Pool pool = pool(tag);
    pool.resize(warm).forEach(LiveSandbox::end);
    PoolStatus status = pool.status();
    if (warm == 0) {
      byTag.remove(tag, pool);
    }
    remember();
    work.release();
    return status;
  }

  List<PoolStatus> list() {
    return byTag.values().stream()
        .map(Pool::status)
        .sorted(Comparator.comparing(PoolStatus::tag))
        .toList();
  }

  Optional<LiveSandbox> take(Tag tag) {
    Pool pool = byTag.get(tag);
    if (pool == null) {
      return Optional.empty();
    }
    Optional<LiveSandbox> child = pool.take();
    work.release();
    return child;
  }

  /** Ends a pool whose snapshot goes away. */
  void drop(Tag tag) {
    if (byTag.containsKey(tag)) {
      set(tag, 0);
    }
  }

  @Override
  public void close() {
    stopRefilling();
    byTag.values().forEach(pool -> pool.resize(0).forEach(LiveSandbox::end));
  }

  /** Lets go of all parked children without ending them. */
  void abandon() {
    stopRefilling();
    byTag.values().forEach(pool -> pool.resize(0).forEach(LiveSandbox::abandon));
  }

  private void stopRefilling() {
    closed = true;
    refiller.interrupt();
    try {
      refiller.join(Duration.ofSeconds(30));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private Pool pool(Tag tag) {
    return byTag.computeIfAbsent(tag, Pool::new);
  }

  private void remember() {
    Map<Tag, Integer> wanted = new ConcurrentHashMap<>();
    byTag.forEach((tag, pool) -> wanted.put(tag, pool.status().warm()));
    file.write(wanted);
  }

  private void refillForever() {
    while (!closed) {
      try {
        work.acquire();
        work.drainPermits();
        for (Pool pool : List.copyOf(byTag.values())) {
          fill(pool);
        }
      } catch (InterruptedException e) {
        return;
      }
    }
  }

  private void fill(Pool pool) throws InterruptedException {
    while (!closed && pool.claimFilling()) {
      foreground.awaitQuiet(LONGEST_COURTESY);
      long begin = System.nanoTime();
      try {
        SandboxId id = SandboxId.of(identities.newBatch(), 0);
        LiveSandbox child = templates.using(pool.tag(), template -> forker.park(template, id));
        settle(pool, child);
        keepToBudget(child, System.nanoTime() - begin);
      } catch (RuntimeException e) {
        Log.CORE.warn("pool {}: {}", pool.tag(), e.toString());
        pool.fillingFailed(String.valueOf(e.getMessage()));
        Thread.sleep(AFTER_FAILURE);
        work.release();
        return;
      }
    }
  }

  private void settle(Pool pool, LiveSandbox child) {
    if (!pool.park(child)) {
      child.end();
      return;
    }
    var _ =
        child
            .vm()
            .process()
            .exit()
            .thenRunAsync(
                () -> {
                  if (pool.remove(child)) {
                    child.end();
                    work.release();
                  }
                },
                task -> Thread.startVirtualThread(task));
  }

  private void keepToBudget(LiveSandbox child, long wallNanos) throws InterruptedException {
    long cpuNanos =
        ProcStat.of(child.sandboxRecord().pid()).map(stat -> stat.cpu().toNanos()).orElse(0L);
    long owed = (long) (cpuNanos / cpuBudget) - wallNanos;
    if (owed > 0) {
      Thread.sleep(Duration.ofNanos(owed));
    }
  }
}
