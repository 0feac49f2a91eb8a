package io.forkd.server;

import io.forkd.base.ForkdException;
import io.forkd.core.ForkResult;
import io.forkd.core.Forkd;
import io.forkd.core.Sandbox;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Gives new children their environment. One that does not take it is ended, and counts as failed.
 */
final class ChildEnvironment {
  static final Duration TIMEOUT = Duration.ofSeconds(10);

  private final Forkd forkd;
  private final Map<String, String> variables;

  ChildEnvironment(Forkd forkd, Map<String, String> variables) {
    this.forkd = forkd;
    this.variables = variables;
  }

  ForkResult giveTo(ForkResult born, int asked) {
    if (variables.isEmpty()) {
      return born;
    }
    List<Future<Optional<String>>> refusals;
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      refusals = born.sandboxes().stream().map(child -> threads.submit(() -> give(child))).toList();
    }
    List<Integer> places = places(born, asked);
    List<Sandbox> living = new ArrayList<>();
    List<ForkResult.Failure> failed = new ArrayList<>(born.failures());
    for (int i = 0; i < refusals.size(); i++) {
      Optional<String> refusal = refusals.get(i).resultNow();
      if (refusal.isEmpty()) {
        living.add(born.sandboxes().get(i));
      } else {
        failed.add(new ForkResult.Failure(places.get(i), refusal.get()));
      }
    }
    failed.sort(Comparator.comparingInt(ForkResult.Failure::index));
    return new ForkResult(living, failed);
  }

  /** The places in the request of those that live, which are in its order. */
  private static List<Integer> places(ForkResult born, int asked) {
    var gone = born.failures().stream().map(ForkResult.Failure::index).collect(Collectors.toSet());
    return IntStream.range(0, Math.max(asked, born.sandboxes().size() + gone.size()))
        .boxed()
        .filter(place -> !gone.contains(place))
        .toList();
  }

  /** Why a child did not take it. */
  private Optional<String> give(Sandbox child) {
    try {
      forkd.inside(child.id()).setEnvironment(variables, TIMEOUT);
      return Optional.empty();
    } catch (ForkdException e) {
      end(child);
      return Optional.of("The child did not take its environment: " + e.getMessage());
    } catch (RuntimeException e) {
      end(child);
      return Optional.of(Dispatcher.Failure.of(e, "giving a child its environment").message());
    }
  }

  private void end(Sandbox child) {
    try {
      forkd.kill(child.id());
    } catch (ForkdException e) {
      // It ended by itself, which is why it did not take anything.
    }
  }
}
