package io.forkd.cli;

import io.forkd.client.ForkOutcome;
import io.forkd.client.ForkdClient;
import io.forkd.client.ForkdClientException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A child that ends with the work it was made for. When this process is interrupted it ends the
 * child on its way out, and when it is killed the daemon does after a while.
 */
final class TemporaryChild implements AutoCloseable {
  private static final Duration SLACK = Duration.ofHours(1);

  private final ForkdClient client;
  private final Terminal terminal;
  private final String id;
  private final AtomicBoolean ended = new AtomicBoolean();
  private final Thread hook = new Thread(this::end, "end-child");

  private TemporaryChild(ForkdClient client, Terminal terminal, String id) {
    this.client = client;
    this.terminal = terminal;
    this.id = id;
  }

  /** Makes one for work that takes no longer than said, and an hour. */
  static TemporaryChild of(ForkdClient client, Terminal terminal, String tag, Duration work) {
    ForkOutcome outcome =
        client.fork(tag, 1, Optional.empty(), false, Optional.of(work.plus(SLACK)));
    if (outcome.sandboxes().isEmpty()) {
      throw CliException.failed(
          outcome.failures().isEmpty()
              ? "No child of %s came to life. Next: `forkd daemon logs`.".formatted(tag)
              : outcome.failures().getFirst().error());
    }
    TemporaryChild child =
        new TemporaryChild(client, terminal, outcome.sandboxes().getFirst().id());
    Runtime.getRuntime().addShutdownHook(child.hook);
    return child;
  }

  String id() {
    return id;
  }

  @Override
  public void close() {
    end();
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      // The process is ending already, and the hook finds nothing left to do.
      return;
    }
  }

  private void end() {
    if (!ended.compareAndSet(false, true)) {
      return;
    }
    try {
      client.kill(id);
    } catch (ForkdClientException e) {
      if (e.status() != 404) {
        terminal
            .err()
            .println(
                "forkd: %s still runs: %s Next: forkd kill %s".formatted(id, e.getMessage(), id));
      }
    }
  }
}
