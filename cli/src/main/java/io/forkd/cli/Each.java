package io.forkd.cli;

import io.forkd.client.ForkdClientException;
import io.forkd.client.JsonObject;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Consumer;
import java.util.function.Function;

/** One action on each of several names, all tried though some fail. */
final class Each {
  private Each() {}

  /**
   * Does it to all at once and reports it.
   *
   * @param done what to call those it worked for
   * @return the exit code
   */
  static int of(
      Terminal terminal, boolean json, String done, List<String> names, Consumer<String> action) {
    Function<String, List<String>> named =
        name -> {
          action.accept(name);
          return List.of(name);
        };
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      return run(terminal, json, done, names, named, threads);
    }
  }

  /**
   * Does it to one after the other and reports it.
   *
   * @param action returns all it worked for
   */
  static int inTurn(
      Terminal terminal,
      boolean json,
      String done,
      List<String> names,
      Function<String, List<String>> action) {
    try (ExecutorService thread = Executors.newSingleThreadExecutor(Thread.ofVirtual().factory())) {
      return run(terminal, json, done, names, action, thread);
    }
  }

  private static int run(
      Terminal terminal,
      boolean json,
      String done,
      List<String> names,
      Function<String, List<String>> action,
      ExecutorService threads) {
    Set<String> worked = new LinkedHashSet<>();
    List<JsonObject> failed = new ArrayList<>();
    List<Future<List<String>>> results = new ArrayList<>();
    names.forEach(name -> results.add(threads.submit(() -> action.apply(name))));
    for (int i = 0; i < names.size(); i++) {
      try {
        worked.addAll(results.get(i).get());
      } catch (ExecutionException e) {
        refuseUnreachable(e);
        failed.add(JsonObject.ofPairs("name", names.get(i), "error", message(e)));
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new CliException(ExitCode.FAILED, "Interrupted.", e);
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
