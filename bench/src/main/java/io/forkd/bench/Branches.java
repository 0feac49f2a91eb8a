package io.forkd.bench;

import io.forkd.base.ErrorCode;
import io.forkd.base.ForkdException;
import io.forkd.client.BranchMode;
import io.forkd.client.BranchRequest;
import io.forkd.client.FanOutRequest;
import io.forkd.client.FanOutcome;
import io.forkd.client.ForkOutcome;
import io.forkd.client.ForkdClient;
import io.forkd.client.ForkdClientException;
import io.forkd.client.SandboxInfo;
import io.forkd.client.SnapshotInfo;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

/** Takes branches of running sandboxes and knows how to take them back. */
final class Branches {
  private static final int LONGEST_REQUEST_MINUTES = 15;
  private static final Duration LONGEST_WRITE = Duration.ofMinutes(5);
  private static final int LOOK_MILLIS = 20;
  private static final String WRITING = "writing";
  private static final ForkOutcome NO_CHILDREN = new ForkOutcome(List.of(), List.of());

  private final ForkdClient client;
  private final Undo undo;
  private final String prefix = "bench-" + UUID.randomUUID().toString().substring(0, 8);
  private final AtomicInteger count = new AtomicInteger();

  Branches(ForkdClient client, Undo undo) {
    this.client = client;
    this.undo = undo;
  }

  /** A snapshot of a running sandbox, and its children; closing it ends them and removes it. */
  record Branch(SnapshotInfo snapshot, List<SandboxInfo> children, Undo.Mark mark)
      implements AutoCloseable {
    Branch {
      children = List.copyOf(children);
    }

    /** How long the sandbox stood still, as the daemon says. */
    double pauseMs() {
      return snapshot
          .pauseMs()
          .orElseThrow(
              () ->
                  new ForkdException(
                      ErrorCode.INTERNAL,
                      "The daemon does not say how long the source of %s paused. Next: check that client and daemon are of one version."
                          .formatted(snapshot.tag())));
    }

    @Override
    public void close() {
      mark.close();
    }
  }

  /**
   * Takes a branch that is on disk when this returns.
   *
   * @param mode empty means the best the daemon's host can do
   */
  Branch take(String sandbox, Optional<BranchMode> mode) {
    return remembered(
        sandbox,
        tag -> {
          BranchRequest request = BranchRequest.ofTag(tag);
          return new Made(
              client.branch(sandbox, mode.map(request::withMode).orElse(request)), NO_CHILDREN);
        });
  }

  /** Branches a sandbox in the best mode and forks n children of the branch, all or none. */
  Branch fork(String sandbox, int n) {
    return remembered(
        sandbox,
        tag -> {
          FanOutcome outcome = client.forkSandbox(sandbox, tagged(n, tag));
          return new Made(outcome.snapshot(), outcome.children());
        });
  }

  private static FanOutRequest tagged(int n, String tag) {
    return new FanOutRequest(
        n,
        Optional.of(tag),
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        Optional.empty());
  }

  private record Made(SnapshotInfo snapshot, ForkOutcome children) {}

  private Branch remembered(String sandbox, Function<String, Made> request) {
    String tag = "%s-%d".formatted(prefix, count.incrementAndGet());
    // Remembered before the request: whoever ends the benchmark meanwhile waits for its outcome.
    CompletableFuture<Boolean> answered = new CompletableFuture<>();
    Undo.Mark mark =
        undo.remember(
            "removing the branch " + tag,
            () -> {
              answered.get(LONGEST_REQUEST_MINUTES, TimeUnit.MINUTES);
              remove(tag);
            });
    try {
      Made made = request.apply(tag);
      answered.complete(true);
      if (!made.children().failures().isEmpty()) {
        throw new ForkdException(
            ErrorCode.GUEST_FAILED,
            "%d children of a branch of %s could not be made; the first: %s"
                .formatted(
                    made.children().failures().size(),
                    sandbox,
                    made.children().failures().getFirst().error()));
      }
      return new Branch(made.snapshot(), made.children().sandboxes(), mark);
    } catch (RuntimeException e) {
      answered.complete(false);
      mark.close();
      throw e;
    }
  }

  /** Also when the answer to the request was lost: what there is has the tag. */
  private void remove(String tag) throws InterruptedException {
    client.sandboxes().stream()
        .filter(sandbox -> sandbox.snapshotTag().equals(tag))
        .forEach(sandbox -> unlessGone(() -> client.kill(sandbox.id())));
    awaitWritten(tag);
    unlessGone(() -> client.removeSnapshot(tag));
  }

  /** Otherwise the end of one measurement would be in the next. */
  private void awaitWritten(String tag) throws InterruptedException {
    long end = System.nanoTime() + LONGEST_WRITE.toNanos();
    while (client.snapshots().stream()
            .anyMatch(it -> it.tag().equals(tag) && it.status().equals(WRITING))
        && System.nanoTime() - end < 0) {
      Thread.sleep(LOOK_MILLIS);
    }
  }

  private static void unlessGone(Runnable ending) {
    try {
      ending.run();
    } catch (ForkdClientException e) {
      if (e.status() != ErrorCode.NOT_FOUND.httpStatus()) {
        throw e;
      }
    }
  }
}
