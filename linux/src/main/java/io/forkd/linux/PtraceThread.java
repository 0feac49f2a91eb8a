package io.forkd.linux;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
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

  /**
   * Runs work on that thread and waits for it; an interrupt of the caller does not cut it off.
   *
   * @throws TimeoutException when it takes too long; it is then left alone with its thread
   */
  static <T extends @Nullable Object> T run(Duration patience, Function<PtraceThread, T> work)
      throws TimeoutException {
    if (INSIDE.isBound()) {
      throw new IllegalStateException(
          "work on a stopped process cannot stop another one: one thread does all tracing");
    }
    TURN.lock();
    try {
      PtraceThread worker = current == null ? new PtraceThread() : current;
      current = worker;
      return worker.take(patience, work);
    } finally {
      if (current != null && current.tracing) {
        current.thread.shutdown();
        current = null;
      }
      TURN.unlock();
    }
  }

  private <T extends @Nullable Object> T take(Duration patience, Function<PtraceThread, T> work)
      throws TimeoutException {
    tracing = true; // until the work says otherwise, also when it never ends
    CompletableFuture<T> result =
        CompletableFuture.supplyAsync(
            () -> ScopedValue.where(INSIDE, this).call(() -> work.apply(this)), thread);
    try {
      return result.copy().orTimeout(patience.toNanos(), TimeUnit.NANOSECONDS).join();
    } catch (CompletionException e) {
      switch (e.getCause()) {
        case TimeoutException cause -> throw cause;
        case RuntimeException cause -> throw cause;
        case Error cause -> throw cause;
        case null, default -> throw e;
      }
    }
  }

  /** Says that this thread has no process in its hands any more. */
  void free() {
    tracing = false;
  }
}
