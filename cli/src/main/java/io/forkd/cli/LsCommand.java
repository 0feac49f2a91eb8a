package io.forkd.cli;

import io.forkd.client.EndedInfo;
import io.forkd.client.ForkdClient;
import io.forkd.client.SandboxInfo;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code forkd ls}: lists the sandboxes, or those that ended. */
@Command(name = "ls", description = "List the sandboxes, or those that ended and why.")
final class LsCommand extends ForkdCommand {
  @Option(names = "--tag", paramLabel = "TAG", description = "Only children of this snapshot.")
  private Optional<String> tag = Optional.empty();

  @Option(
      names = "--label",
      paramLabel = "NAME=VALUE",
      description = "Only those with this label; repeated, with all of them.")
  private List<String> labels = new ArrayList<>();

  @Option(
      names = "--state",
      paramLabel = "STATE",
      description = "Only those that are running or paused.")
  private Optional<String> state = Optional.empty();

  @Option(names = "--ended", description = "List those that ended lately, and why.")
  private boolean ended;

  @Option(
      names = "-n",
      paramLabel = "N",
      description = "With --ended: how many, 1 to 10000; default 20.")
  private int most = 20;

  LsCommand(Context context) {
    super(context);
  }

  @Override
  public Integer call() {
    Map<String, String> wanted = Labels.parse(labels);
    if (state.isPresent() && !List.of("running", "paused").contains(state.get())) {
      throw CliException.usage("--state is '%s': use running or paused.".formatted(state.get()));
    }
    if (ended && state.isPresent()) {
      throw CliException.usage("Those that --ended have no --state: leave one out.");
    }
    if (most < 1 || most > 10_000) {
      throw CliException.usage("-n is %d: use 1 to 10000.".formatted(most));
    }
    return ended ? listEnded(wanted) : list(wanted);
  }

  private int list(Map<String, String> wanted) {
    List<SandboxInfo> sandboxes;
    try (ForkdClient client = daemon()) {
      sandboxes =
          client.sandboxes(wanted).stream()
              .filter(sandbox -> tag.isEmpty() || tag.get().equals(sandbox.snapshotTag()))
              .filter(sandbox -> state.isEmpty() || state.get().equals(sandbox.state()))
              .toList();
    }
    if (json) {
      terminal().json(sandboxes.stream().map(SandboxInfo::json).toList());
    } else if (sandboxes.isEmpty()) {
      terminal().err().println("No sandboxes. Next: forkd images, then forkd fork --tag TAG");
    } else {
      print(sandboxes, Instant.now());
    }
    return ExitCode.OK;
  }

  private void print(List<SandboxInfo> sandboxes, Instant now) {
    Table table =
        new Table(
            "ID",
            "SNAPSHOT",
            "STATE",
            ">PID",
            ">LIMIT",
            "FROM",
            ">AGE",
            "BRANCHES",
            "HOSTNAME",
            "LABELS");
    for (SandboxInfo sandbox : sandboxes) {
      table.row(
          sandbox.id(),
          sandbox.snapshotTag(),
          States.text(terminal(), sandbox),
          sandbox.paused() ? "–" : sandbox.pid(),
          sandbox.memoryLimitMib().map(limit -> limit + " MiB").orElse("–"),
          sandbox.pooled() ? "pool" : "fork",
          age(sandbox, now),
          branches(sandbox),
          sandbox.proof().map(proof -> proof.hostname()).orElse("–"),
          Labels.text(sandbox.labels()));
    }
    table.print(terminal());
  }

  private int listEnded(Map<String, String> wanted) {
    List<EndedInfo> all;
    try (ForkdClient client = daemon()) {
      all =
          client.ended(most).stream()
              .filter(one -> tag.isEmpty() || tag.get().equals(one.snapshotTag()))
              .filter(one -> one.labels().entrySet().containsAll(wanted.entrySet()))
              .toList();
    }
    if (json) {
      terminal().json(all.stream().map(EndedInfo::json).toList());
    } else if (all.isEmpty()) {
      terminal().err().println("No sandbox ended lately. Next: forkd ls");
    } else {
      EndedTable.print(terminal(), all, Instant.now());
    }
    return ExitCode.OK;
  }

  private static String age(SandboxInfo sandbox, Instant now) {
    String age = Units.age(Duration.between(sandbox.createdAt(), now));
    return sandbox
        .expiresAt()
        .map(end -> "%s, %s left".formatted(age, Units.age(Duration.between(now, end))))
        .orElse(age);
  }

  /** How many were taken, and the mode of the next. */
  static String branches(SandboxInfo sandbox) {
    return sandbox.branchCount() + sandbox.branchMode().map(mode -> ", " + mode).orElse("");
  }
}
