package io.forkd.cli;

import io.forkd.client.ForkdClientException;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * What an interrupted command does for something it started elsewhere: it passes the interruption
 * on and waits a while for the end. The JVM tells of signals only by beginning to end, so all this
 * happens in a shutdown hook, beside the thread that still relays.
 */
final class Interruption implements AutoCloseable {
  private static final int PATIENCE_SECONDS = 10;

  /** What to do when interrupted. */
  private record Plan(Runnable passOn, Runnable giveUp) {}

  private final Thread hook = new Thread(this::interrupted, "interruption");
  private final CompletableFuture<Integer> end = new CompletableFuture<>();
  private volatile Optional<Plan> plan = Optional.empty();

  Interruption() {
    Runtime.getRuntime().addShutdownHook(hook);
  }

  /**
   * From now on there is something to interrupt.
   *
   * @param giveUp done when it does not end in time
   */
  void arm(Runnable passOn, Runnable giveUp) {
    plan = Optional.of(new Plan(passOn, giveUp));
  }

  /** Says that all is done and how this command is to end. */
  void ended(int exitCode) {
    end.complete(exitCode);
  }

  private void interrupted() {
    if (plan.isEmpty()) {
      return;
    }
    try {
      plan.get().passOn.run();
      int code = end.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
      // Else the command would end as one that was interrupted, whatever its program made of it.
      Runtime.getRuntime().halt(code);
    } catch (TimeoutException e) {
      plan.get().giveUp.run();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (ForkdClientException | CancellationException | ExecutionException e) {
      // Nothing is left that could be interrupted.
      return;
    }
  }

  @Override
  public void close() {
    end.cancel(false);
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      // It is under way and knows what to do.
      return;
    }
  }
}
