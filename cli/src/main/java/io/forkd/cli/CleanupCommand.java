package io.forkd.cli;

import io.forkd.client.DaemonStatus;
import io.forkd.client.ForkdClient;
import io.forkd.client.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code forkd cleanup}: finds and removes what a daemon that died has left. */
@Command(
    name = "cleanup",
    description = "Find what a dead daemon left behind, and remove it with --yes.")
final class CleanupCommand extends ForkdCommand {
  @Option(names = "--yes", description = "Remove it; sandboxes of the dead daemon are ended.")
  private boolean yes;

  CleanupCommand(Context context) {
    super(context);
  }

  @Override
  public Integer call() {
    Optional<ForkdClient> running = new DaemonLink(context).running();
    if (running.isPresent()) {
      try (ForkdClient client = running.get()) {
        return sayAlive(client.status());
      }
    }
    if (Leftovers.daemonLives(context.locations())) {
      throw CliException.failed(
          "A daemon has %s in use but does not answer, so nothing is touched. Next: `forkd daemon logs`; end it, then try again."
              .formatted(context.locations().data()));
    }
    List<Leftover> leftovers = Leftovers.find(context.locations());
    List<JsonObject> facts = new ArrayList<>();
    int failed = 0;
    for (Leftover leftover : leftovers) {
      Optional<String> problem = yes ? leftover.remove() : Optional.empty();
      failed += problem.isPresent() ? 1 : 0;
      facts.add(
          JsonObject.ofPairs(
              "kind",
              leftover.kind(),
              "what",
              leftover.what(),
              "removed",
              yes && problem.isEmpty(),
              "error",
              problem));
      if (!json) {
        String verb = !yes ? "found  " : problem.map(p -> "FAILED ").orElse("removed");
        terminal()
            .out()
            .println(
                "%s  %-10s %s%s"
                    .formatted(
                        verb,
                        leftover.kind(),
                        leftover.what(),
                        problem.map(p -> ": " + p).orElse("")));
      }
    }
    if (json) {
      terminal().json(JsonObject.ofPairs("daemon", false, "leftovers", facts));
    } else {
      summarize(leftovers.size(), failed);
    }
    return failed == 0 ? ExitCode.OK : ExitCode.FAILED;
  }

  private int sayAlive(DaemonStatus status) {
    if (json) {
      terminal()
          .json(JsonObject.ofPairs("daemon", true, "pid", status.pid(), "leftovers", List.of()));
    } else {
      terminal()
          .out()
          .println(
              "The daemon (pid %d) lives and looks after its own. Next: `forkd kill --all` ends its sandboxes, `forkd daemon stop` the daemon."
                  .formatted(status.pid()));
    }
    return ExitCode.OK;
  }

  private void summarize(int count, int failed) {
    if (count == 0) {
      terminal().out().println("Nothing is left behind.");
    } else if (!yes) {
      terminal()
          .out()
          .println("%d found. Next: forkd cleanup --yes removes them.".formatted(count));
    } else if (failed > 0) {
      terminal()
          .err()
          .println("forkd: %d could not be removed. Next: try as root.".formatted(failed));
    }
  }
}
