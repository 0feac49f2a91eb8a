package io.forkd.cli;

import io.forkd.client.ForkdClient;
import java.time.Duration;
import java.util.Optional;

/** Stops the private daemon and waits for its end. */
final class DaemonStopper {
  private static final Duration PATIENCE = Duration.ofSeconds(40);

  private DaemonStopper() {}

  /** The process id of the daemon that was stopped, or empty when none ran. */
  static Optional<Long> stop(Context context) {
    try (Steps steps = new Steps(context.terminal())) {
      return stop(context, steps);
    }
  }

  static Optional<Long> stop(Context context, Steps steps) {
    Optional<ForkdClient> running = new DaemonLink(context).running();
    if (running.isEmpty()) {
      return Optional.empty();
    }
    try (ForkdClient client = running.get()) {
      long pid = client.status().pid();
      steps.begin("stop", "Stopping the daemon");
      client.shutdown();
      long deadline = System.nanoTime() + PATIENCE.toNanos();
      while (ProcessHandle.of(pid).map(ProcessHandle::isAlive).orElse(false)) {
        if (System.nanoTime() > deadline) {
          throw CliException.failed(
              "The daemon (pid %d) was asked to stop and still runs after %d s. Next: `forkd daemon logs`, then kill %d."
                  .formatted(pid, PATIENCE.toSeconds(), pid));
        }
        Pause.millis(25);
      }
      return Optional.of(pid);
    }
  }
}
