package io.forkd.cli;

import io.forkd.base.SandboxId;
import io.forkd.base.Tag;
import io.forkd.client.Comparison;
import io.forkd.client.ForkdClient;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code forkd diff}: says what differs between two snapshots or sandboxes. */
@Command(
    name = "diff",
    description = "Say what differs between two snapshots or sandboxes: files, memory, processes.")
final class DiffCommand extends ForkdCommand {
  @Parameters(index = "0", paramLabel = "A", description = "A snapshot's tag or a sandbox's id.")
  private String a = "";

  @Parameters(index = "1", paramLabel = "B", description = "Another one.")
  private String b = "";

  @Option(names = "--stat", description = "Only count lines, one row per file.")
  private boolean stat;

  DiffCommand(Context context) {
    super(context);
  }

  @Override
  public Integer call() {
    requireName(a);
    requireName(b);
    Comparison comparison;
    try (ForkdClient client = daemon();
        Steps steps = new Steps(terminal())) {
      steps.begin("diff", "Comparing %s and %s".formatted(a, b));
      comparison = client.diff(a, b, !stat);
    }
    if (json) {
      terminal().json(comparison.json());
    } else {
      DiffReport report = new DiffReport(comparison, terminal());
      (stat ? report.statistics() : report.changes()).forEach(terminal().out()::println);
      report.summary().forEach(terminal().out()::println);
    }
    return ExitCode.OK;
  }

  private static void requireName(String name) {
    if (!SandboxId.isValid(name)) {
      Tag.of(name);
    }
  }
}
