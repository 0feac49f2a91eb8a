package io.forkd.client;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** An answer that is awaited by a thread of its own, since it may come before its time. */
final class EarlyAnswer {
  private static final int MILLIS_AFTER_A_HANG_UP = 2000;

  /** Reads the answer. */
  @FunctionalInterface
  interface Reading {
    HttpHead read() throws IOException;
  }

  private final CompletableFuture<HttpHead> answer = new CompletableFuture<>();

  private EarlyAnswer() {}

  static EarlyAnswer await(Reading reading) {
    EarlyAnswer early = new EarlyAnswer();
    Thread.ofVirtual().name("early-answer").start(() -> early.read(reading));
    return early;
  }

  private void read(Reading reading) {
    try {
      answer.complete(reading.read());
    } catch (IOException | RuntimeException e) {
      answer.completeExceptionally(e);
    }
  }

  /** Whether there is an answer, or surely none will come. */
  boolean isThere() {
    return answer.isDone();
  }

  /** Whether an answer came about when the daemon hung up. */
  boolean comesAfterAll() {
    try {
      answer.get(MILLIS_AFTER_A_HANG_UP, TimeUnit.MILLISECONDS);
      return true;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    } catch (ExecutionException | TimeoutException e) {
      return false;
    }
  }

  HttpHead get() throws IOException {
    try {
      return answer.get();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted");
    } catch (ExecutionException e) {
      if (e.getCause() instanceof IOException cause) {
        throw cause;
      }
      throw new IOException(e.getCause());
    }
  }
}
