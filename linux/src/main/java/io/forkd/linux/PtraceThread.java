package io.forkd.linux;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The one thread that traces processes, one after the other. The kernel knows a tracer by its
 * thread, and takes its processes from it when the thread ends: one that could not let go of a
 * process is therefore replaced by another.
 */
final class PtraceThread {
  private static final ScopedValue<PtraceThread> INSIDE = ScopedValue.newInstance();

  /** Held by whoever's turn it is; first come, first served. */
  private static final ReentrantLock TURN = new ReentrantLock(true);

  /** Guarded by {@link #TURN}; null before the first turn and after a thread was given up. */
  private static @Nullable PtraceThread current;

  private final ExecutorService thread =
      Executors.newSingleThreadExecutor(
          Thread.ofPlatform().name("forkd-ptrace").daemon().factory());

  private volatile boolean tracing;

  private PtraceThread() {}

  /** Runs work on that thread and waits for it; an interrupt of the caller does not cut it off. */
  static <T extends @Nullable Object> T run(Function<PtraceThread, T> work) {
    if (INSIDE.isBound()) {
      throw new IllegalStateException(
          "work on a stopped process cannot stop another one: one thread does all tracing");
    }
    TURN.lock();
    try {
      PtraceThread worker = current == null ? new PtraceThread() : current;
      current = worker;
      try {
        return CompletableFuture.supplyAsync(() -> worker.inside(work), worker.thread).join();
      } finally {
        if (worker.tracing) {
          current = null;
          worker.thread.shutdown();
        }
      }
    } catch (CompletionException e) {
      throw switch (e.getCause()) {
        case RuntimeException cause -> cause;
        case Error cause -> throw cause;
        case null, default -> e;
      };
    } finally {
      TURN.unlock();
    }
  }

  private <T extends @Nullable Object> T inside(Function<PtraceThread, T> work) {
    return ScopedValue.where(INSIDE, this).call(() -> work.apply(this));
  }

  /** Says whether this thread has a process in its hands. */
  void tracing(boolean now) {
    tracing = now;
  }
}
