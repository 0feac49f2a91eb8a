package io.forkd.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Function;

/** The same work on many items, a few at a time. */
final class Parallel {
  private Parallel() {}

  /** The results in the order of the items; the first failure ends the rest and is thrown. */
  static <T, R> List<R> map(List<T> items, int atOnce, Function<T, R> work) {
    // Platform threads: starting and watching processes pins virtual ones to their carriers.
    try (ExecutorService pool = Executors.newFixedThreadPool(atOnce)) {
      List<Future<R>> futures =
          items.stream().map(item -> pool.submit(() -> work.apply(item))).toList();
      List<R> results = new ArrayList<>();
      for (Future<R> future : futures) {
        results.add(result(future, pool));
      }
      return results;
    }
  }

  private static <R> R result(Future<R> future, ExecutorService pool) {
    try {
      return future.get();
    } catch (ExecutionException e) {
      pool.shutdownNow();
      if (e.getCause() instanceof RuntimeException cause) {
        throw cause;
      }
      throw new IllegalStateException(e.getCause());
    } catch (InterruptedException e) {
      pool.shutdownNow();
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    }
  }
}
