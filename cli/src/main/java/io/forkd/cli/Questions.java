package io.forkd.cli;

import io.forkd.client.EvalOutcome;
import io.forkd.client.ForkdClient;
import io.forkd.client.ForkdClientException;
import io.forkd.client.SandboxInfo;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Asks every child of the quickstart the same question at once. */
final class Questions {
  private static final Duration PATIENCE = Duration.ofMinutes(2);

  private Questions() {}

  /**
   * A child and its answer.
   *
   * @param memoryBytes memory that is the child's alone, -1 when it cannot be read
   */
  record Answered(SandboxInfo child, String answer, double evalMs, long memoryBytes) {
    boolean right() {
      return answer.equals(QuickstartCommand.ANSWER);
    }
  }

  static List<Answered> ask(ForkdClient client, List<SandboxInfo> children) {
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<Answered>> answers = new ArrayList<>();
      children.forEach(child -> answers.add(threads.submit(() -> askOne(client, child))));
      List<Answered> all = new ArrayList<>();
      for (Future<Answered> answer : answers) {
        all.add(answer.get());
      }
      return all;
    } catch (ExecutionException e) {
      throw new CliException(ExitCode.FAILED, "Asking the children failed: " + e.getCause(), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new CliException(ExitCode.FAILED, "Interrupted.", e);
    }
  }

  private static Answered askOne(ForkdClient client, SandboxInfo child) {
    long began = System.nanoTime();
    String answer;
    try {
      EvalOutcome outcome = client.eval(child.id(), QuickstartCommand.CODE, PATIENCE);
      answer = outcome.result().or(outcome::error).orElse("nothing");
    } catch (ForkdClientException e) {
      answer = e.getMessage();
    }
    double evalMs = (System.nanoTime() - began) / 1e6;
    return new Answered(child, answer, evalMs, ChildMemory.ofProcess(child.pid()));
  }
}
