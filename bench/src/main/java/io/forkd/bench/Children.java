package io.forkd.bench;

import io.forkd.base.ErrorCode;
import io.forkd.base.ForkdException;
import io.forkd.client.ChildRequest;
import io.forkd.client.ForkOutcome;
import io.forkd.client.ForkRequest;
import io.forkd.client.ForkdClient;
import io.forkd.client.ForkdClientException;
import io.forkd.client.SandboxInfo;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** Children of one request; closing it ends them all. */
final class Children implements AutoCloseable {
  private static final int KILLS_AT_ONCE = 4;
  private static final int LONGEST_FORK_MINUTES = 5;

  private final List<SandboxInfo> all;
  private final Undo.Mark mark;

  private Children(List<SandboxInfo> all, Undo.Mark mark) {
    this.all = List.copyOf(all);
    this.mark = mark;
  }

  /** Forks all of n or fails, leaving none. */
  static Children fork(ForkdClient client, String tag, int n, Undo undo) {
    return fork(client, tag, n, false, undo);
  }

  /** Forks all of n, noting on request what each cost when it was restored. */
  static Children fork(ForkdClient client, String tag, int n, boolean measure, Undo undo) {
    return fork(client, new ForkRequest(tag, n, measure, ChildRequest.PLAIN), undo);
  }

  /** Forks all that are asked for or fails, leaving none. */
  static Children fork(ForkdClient client, ForkRequest request, Undo undo) {
    String tag = request.tag();
    int n = request.n();
    // Remembered before the request: whoever ends the benchmark meanwhile waits for its outcome.
    CompletableFuture<List<SandboxInfo>> made = new CompletableFuture<>();
    Undo.Mark mark =
        undo.remember(
            "ending %d children of %s".formatted(n, tag),
            () -> kill(client, made.get(LONGEST_FORK_MINUTES, TimeUnit.MINUTES)));
    try {
      ForkOutcome outcome = client.fork(request);
      made.complete(outcome.sandboxes());
      if (!outcome.failures().isEmpty()) {
        throw failed(tag, n, outcome.failures());
      }
      return new Children(outcome.sandboxes(), mark);
    } catch (RuntimeException e) {
      made.complete(List.of());
      mark.close();
      throw e;
    }
  }

  List<SandboxInfo> all() {
    return all;
  }

  @Override
  public void close() {
    mark.close();
  }

  private static void kill(ForkdClient client, List<SandboxInfo> children) {
    Parallel.map(children, KILLS_AT_ONCE, child -> kill(client, child.id()));
  }

  private static boolean kill(ForkdClient client, String id) {
    try {
      client.kill(id);
      return true;
    } catch (ForkdClientException e) {
      if (e.status() != ErrorCode.NOT_FOUND.httpStatus()) {
        throw e;
      }
      return false;
    }
  }

  private static ForkdException failed(String tag, int n, List<ForkOutcome.Failure> failures) {
    return new ForkdException(
        ErrorCode.GUEST_FAILED,
        "%d of %d children of %s could not be made, so nothing can be compared; the first: %s"
            .formatted(failures.size(), n, tag, failures.getFirst().error()));
  }
}
