package io.forkd.core;

import io.forkd.base.ErrorCode;
import io.forkd.base.ForkdException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Writes snapshots to disk behind the callers' backs, one after the other in the order they were
 * taken: a parent is on disk before any snapshot that depends on it.
 */
final class Scribe implements AutoCloseable {
  private static final int PATIENCE_MINUTES = 10;

  private final ExecutorService thread =
      Executors.newSingleThreadExecutor(
          Thread.ofPlatform().name("forkd-scribe").daemon().factory());

  /**
   * Has something written.
   *
   * @param refused what to do when nothing is written any more
   */
  <T> CompletableFuture<T> write(Supplier<T> work, Runnable refused) {
    try {
      return CompletableFuture.supplyAsync(work, thread);
    } catch (RejectedExecutionException e) {
      refused.run();
      throw new ForkdException(ErrorCode.FULL, "the daemon is stopping", e);
    }
  }

  /** Finishes what was begun, so that what was promised is kept. */
  @Override
  public void close() {
    thread.shutdown();
    try {
      if (!thread.awaitTermination(PATIENCE_MINUTES, TimeUnit.MINUTES)) {
        thread.shutdownNow();
      }
    } catch (InterruptedException e) {
      thread.shutdownNow();
      Thread.currentThread().interrupt();
    }
  }

  /** Stops at once, as when killed. */
  void abandon() {
    thread.shutdownNow();
  }
}
