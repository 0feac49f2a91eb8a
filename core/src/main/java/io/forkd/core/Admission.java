package io.forkd.core;

import io.forkd.base.ErrorCode;
import io.forkd.base.ForkdException;
import io.forkd.linux.HostRoom;
import java.util.List;
import java.util.function.Supplier;

/**
 * Lets sandboxes in as long as there is room for them. What is let in and not running yet is held
 * by a {@link Reservation}; both are counted under one lock, so that however many ask at once no
 * budget is exceeded.
 */
final class Admission {
  /** What a sandbox needs to start and answer. */
  private static final long START_BYTES = 24L << 20;

  /** Descriptors of ours per sandbox: its process, its monitor, its agent, and some in passing. */
  private static final int FILES_EACH = 8;

  private static final int THREADS_EACH = 8;

  private static final long LEAST_RESERVED_BYTES = 256L << 20;
  private static final int RESERVED_PERCENT = 3;
  private static final String OF_SANDBOXES = "Kill or pause some (`forkd ls` lists them)";

  private final Policy policy;
  private final int mostSlots;
  private final Supplier<List<Limits>> running;
  private final Supplier<HostRoom> host;
  private final DiskBudget disk;
  private int expected;
  private long expectedMib;

  /**
   * Begins with what runs.
   *
   * @param mostSlots how many sandboxes there can be when the policy does not say
   * @param running the limits of each running sandbox
   */
  Admission(
      Policy policy,
      int mostSlots,
      Supplier<List<Limits>> running,
      Supplier<HostRoom> host,
      DiskBudget disk) {
    this.policy = policy;
    this.mostSlots = mostSlots;
    this.running = running;
    this.host = host;
    this.disk = disk;
  }

  /**
   * Makes room for some more sandboxes.
   *
   * @param each the limits that will hold for each of them
   * @throws ForkdException FULL when there is none; bad request when memory limits are budgeted and
   *     these have none
   */
  synchronized Reservation admit(int n, Limits each) {
    List<Limits> now = running.get();
    require(n, "running sandboxes", now.size() + expected, n, mostSandboxes(), OF_SANDBOXES);
    long mib = n * requireMib(each);
    requireMemoryLimits(n, mib, now);
    requireHost(n);
    return expect(n, mib);
  }

  /** Makes sure that a running sandbox may have other limits. */
  synchronized Reservation admitChange(Limits from, Limits to) {
    long more = requireMib(to) - mib(from);
    if (more > 0) {
      requireMemoryLimits(1, more, running.get());
    }
    return expect(0, Math.max(0, more));
  }

  /** Makes sure that the host has room to start some sandboxes nobody has asked for. */
  synchronized void requireHost(int n) {
    HostRoom room = host.get();
    long files = (long) n * FILES_EACH;
    long threads = (long) n * THREADS_EACH;
    Capacity.Budget memory = memory(room);
    require(
        n,
        "MiB of the host's memory",
        memory.used() + mib(expected * START_BYTES),
        mib(n * START_BYTES),
        memory.most(),
        OF_SANDBOXES);
    require(
        n,
        "open files of the daemon",
        room.openFiles() + (long) expected * FILES_EACH,
        files,
        room.mostOpenFiles(),
        OF_SANDBOXES + ", or raise its LimitNOFILE");
    require(
        n,
        "threads of the host",
        room.threads() + (long) expected * THREADS_EACH,
        threads,
        room.mostThreads(),
        OF_SANDBOXES + ", or raise kernel.pid_max and kernel.threads-max");
  }

  synchronized Capacity capacity() {
    List<Limits> now = running.get();
    HostRoom room = host.get();
    return new Capacity(
        List.of(
            new Capacity.Budget("sandboxes", now.size() + expected, mostSandboxes()),
            new Capacity.Budget(
                "memory_limits_mib", sumMib(now) + expectedMib, policy.mostMemoryMib().orElse(0L)),
            memory(room),
            disk.budget(),
            new Capacity.Budget("open_files", room.openFiles(), bound(room.mostOpenFiles())),
            new Capacity.Budget("threads", room.threads(), bound(room.mostThreads()))));
  }

  private int mostSandboxes() {
    return Math.min(mostSlots, policy.mostSandboxes().orElse(mostSlots));
  }

  private long requireMib(Limits limits) {
    if (policy.mostMemoryMib().isPresent() && limits.memoryMib().isEmpty()) {
      throw ForkdException.badRequest(
          "this daemon has a budget of %d MiB for the memory of all sandboxes, so each needs a"
              + " limit: give memory_limit_mib, or have the operator set a default.",
          policy.mostMemoryMib().get());
    }
    return mib(limits);
  }

  private void requireMemoryLimits(int n, long more, List<Limits> now) {
    if (policy.mostMemoryMib().isPresent()) {
      require(
          n,
          "MiB of memory limits",
          sumMib(now) + expectedMib,
          more,
          policy.mostMemoryMib().get(),
          OF_SANDBOXES + ", or ask for a lower memory limit");
    }
  }

  private Capacity.Budget memory(HostRoom room) {
    long reserved =
        policy
            .reservedMemoryMib()
            .map(mib -> mib << 20)
            .orElse(Math.max(LEAST_RESERVED_BYTES, room.memoryTotal() * RESERVED_PERCENT / 100));
    return new Capacity.Budget(
        "host_memory_mib",
        mib(room.memoryTotal() - room.memoryAvailable()),
        mib(Math.max(1 << 20, room.memoryTotal() - reserved)));
  }

  private static void require(
      int n, String what, long used, long needed, long most, String remedy) {
    // Written so that nothing can overflow: there may be no bound at all.
    if (needed > most - used) {
      throw new ForkdException(
          ErrorCode.FULL,
          "no room for %s: %d of at most %d %s are used, and %d more are needed. %s, or try again later."
              .formatted(
                  n == 1 ? "another sandbox" : n + " more sandboxes",
                  used,
                  most,
                  what,
                  needed,
                  remedy));
    }
  }

  private Reservation expect(int n, long mib) {
    expected += n;
    expectedMib += mib;
    return new Reservation(n, mib);
  }

  private static long sumMib(List<Limits> all) {
    return all.stream().mapToLong(Admission::mib).sum();
  }

  private static long mib(Limits limits) {
    return limits.memoryMib().orElse(0);
  }

  private static long mib(long bytes) {
    return bytes >> 20;
  }

  private static long bound(long most) {
    return most == Long.MAX_VALUE ? 0 : most;
  }

  /**
   * Room for sandboxes that were let in. Whatever of it is not settled is given back at the end.
   */
  final class Reservation implements AutoCloseable {
    private int count;
    private long mib;

    private Reservation(int count, long mib) {
      this.count = count;
      this.mib = mib;
    }

    /**
     * Uses the room of one sandbox.
     *
     * @param arrival makes it count among the running ones; short, because it is run under the lock
     */
    void settle(Runnable arrival) {
      synchronized (Admission.this) {
        arrival.run();
        giveBack(Math.min(1, count), mib / Math.max(1, count));
      }
    }

    private void giveBack(int sandboxes, long itsMib) {
      count -= sandboxes;
      mib -= itsMib;
      expected -= sandboxes;
      expectedMib -= itsMib;
    }

    @Override
    public void close() {
      synchronized (Admission.this) {
        giveBack(count, mib);
      }
    }
  }
}
