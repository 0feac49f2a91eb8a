package io.forkd.core;

import io.forkd.base.ForkdException;
import io.forkd.base.Tag;
import io.forkd.linux.ProcStat;
import java.time.Duration;
import java.util.ArrayList;
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

  /** Where parked children come from. */
  interface Nursery {
    LiveSandbox park(Tag tag);
  }

  private final Nursery nursery;
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
  Pools(Nursery nursery, Foreground foreground, double cpuBudget, PoolFile file) {
    this.nursery = nursery;
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
    List<LiveSandbox> surplus = new ArrayList<>();
    try {
      return resize(tag, warm, surplus);
    } finally {
      endAll(surplus);
      work.release();
    }
  }

  /** One at a time: a pool enlarged while it is being dropped would be filled and never emptied. */
  private synchronized PoolStatus resize(Tag tag, int warm, List<LiveSandbox> surplus) {
    Pool pool = pool(tag);
    surplus.addAll(pool.resize(warm));
    PoolStatus status = pool.status();
    if (warm == 0) {
      byTag.remove(tag, pool);
    }
    remember();
    return status;
  }

  private static void endAll(List<LiveSandbox> children) {
    for (LiveSandbox child : children) {
      try {
        child.end();
      } catch (RuntimeException e) {
        Log.CORE.warn("{} could not be ended: {}", child.id(), e.toString());
      }
    }
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
    byTag.values().forEach(pool -> endAll(pool.resize(0)));
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
      } catch (RuntimeException e) {
        Log.CORE.error("refilling the pools failed", e);
      }
    }
  }

  private void fill(Pool pool) throws InterruptedException {
    while (!closed && pool.claimFilling()) {
      foreground.awaitQuiet(LONGEST_COURTESY);
      long begin = System.nanoTime();
      LiveSandbox child;
      try {
        child = nursery.park(pool.tag());
      } catch (RuntimeException e) {
        Log.CORE.warn("pool {}: {}", pool.tag(), e.toString());
        pool.fillingFailed(String.valueOf(e.getMessage()), AFTER_FAILURE);
        lookAgainAfter(AFTER_FAILURE);
        return;
      }
      // Outside of the try: from here on the pool no longer counts it as being made.
      settle(pool, child);
      keepToBudget(child, System.nanoTime() - begin);
    }
  }

  /** Without holding up the refiller, because other pools may be fine. */
  private void lookAgainAfter(Duration pause) {
    Thread.startVirtualThread(
        () -> {
          try {
            Thread.sleep(pause);
            work.release();
          } catch (InterruptedException e) {
            // Nobody has this thread to interrupt.
          }
        });
  }

  private void settle(Pool pool, LiveSandbox child) {
    if (!pool.park(child)) {
      endAll(List.of(child));
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
