package io.forkd.cli;

import io.forkd.client.ForkdClientException;
import io.forkd.client.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Consumer;

/** One action on each of several names, all tried though some fail. */
final class Each {
  private Each() {}

  /**
   * Does it and reports it.
   *
   * @param done what to call those it worked for
   * @return the exit code
   */
  static int of(
      Terminal terminal, boolean json, String done, List<String> names, Consumer<String> action) {
    List<String> worked = new ArrayList<>();
    List<JsonObject> failed = new ArrayList<>();
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<?>> results = new ArrayList<>();
      names.forEach(name -> results.add(threads.submit(() -> action.accept(name))));
      for (int i = 0; i < names.size(); i++) {
        try {
          results.get(i).get();
          worked.add(names.get(i));
        } catch (ExecutionException e) {
          refuseUnreachable(e);
          failed.add(JsonObject.ofPairs("name", names.get(i), "error", message(e)));
        } catch (InterruptedException e) {
          Thread.currentThread().interrupt();
          throw new CliException(ExitCode.FAILED, "Interrupted.", e);
        }
      }
    }
    if (json) {
      terminal.json(JsonObject.ofPairs(done, worked, "failed", failed));
    } else {
      worked.forEach(name -> terminal.out().println(done + " " + name));
      failed.forEach(
          f -> terminal.err().println("forkd: %s: %s".formatted(f.text("name"), f.text("error"))));
    }
    return failed.isEmpty() ? ExitCode.OK : ExitCode.FAILED;
  }

  private static void refuseUnreachable(ExecutionException e) {
    if (e.getCause() instanceof ForkdClientException problem
        && problem.status() == ForkdClientException.UNREACHABLE) {
      throw problem;
    }
  }

  private static String message(ExecutionException e) {
    Throwable cause = e.getCause();
    return cause instanceof ForkdClientException
        ? String.valueOf(cause.getMessage())
        : String.valueOf(cause);
  }
}
