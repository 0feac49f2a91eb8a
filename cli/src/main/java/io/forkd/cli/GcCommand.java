package io.forkd.cli;

import io.forkd.client.ForkdClient;
import io.forkd.client.GcOutcome;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code forkd gc}: removes what has expired and nothing depends on. */
@Command(name = "gc", description = "Remove snapshots that have expired and nothing depends on.")
final class GcCommand extends ForkdCommand {
  @Option(names = "--dry-run", description = "Only say what would go.")
  private boolean dryRun;

  GcCommand(Context context) {
    super(context);
  }

  @Override
  public Integer call() {
    GcOutcome outcome;
    try (ForkdClient client = daemon();
        Steps steps = new Steps(terminal())) {
      steps.begin("gc", "Collecting what nothing depends on");
      outcome = client.collect(dryRun);
    }
    if (json) {
      terminal().json(outcome.json());
    } else {
      print(outcome);
    }
    return ExitCode.OK;
  }

  private void print(GcOutcome outcome) {
    if (outcome.collected().isEmpty()) {
      terminal().out().println("Nothing to collect: all snapshots are in use or have not expired.");
      return;
    }
    Table table = new Table("TAG", ">SIZE", "REASON");
    outcome
        .collected()
        .forEach(item -> table.row(item.tag(), Units.bytes(item.bytes()), item.reason()));
    table.print(terminal());
    String freed = Units.bytes(outcome.freedBytes());
    terminal()
        .out()
        .println(
            outcome.dryRun()
                ? "%s would be freed. Next: forkd gc".formatted(freed)
                : "%s freed.".formatted(freed));
  }
}
