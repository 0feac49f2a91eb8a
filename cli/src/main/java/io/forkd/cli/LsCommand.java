package io.forkd.cli;

import io.forkd.client.ForkdClient;
import io.forkd.client.SandboxInfo;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code forkd ls}: lists the running sandboxes. */
@Command(name = "ls", description = "List the running sandboxes.")
final class LsCommand extends ForkdCommand {
  @Option(names = "--tag", paramLabel = "TAG", description = "Only children of this snapshot.")
  private Optional<String> tag = Optional.empty();

  LsCommand(Context context) {
    super(context);
  }

  @Override
  public Integer call() {
    List<SandboxInfo> sandboxes;
    try (ForkdClient client = daemon()) {
      sandboxes =
          client.sandboxes().stream()
              .filter(sandbox -> tag.isEmpty() || tag.get().equals(sandbox.snapshotTag()))
              .toList();
    }
    if (json) {
      terminal().json(sandboxes.stream().map(SandboxInfo::json).toList());
      return ExitCode.OK;
    }
    if (sandboxes.isEmpty()) {
      terminal().err().println("No sandboxes run. Next: forkd images, then forkd fork --tag TAG");
      return ExitCode.OK;
    }
    Table table =
        new Table("ID", "SNAPSHOT", ">PID", ">LIMIT", "FROM", ">AGE", "BRANCHES", "HOSTNAME");
    Instant now = Instant.now();
    for (SandboxInfo sandbox : sandboxes) {
      table.row(
          sandbox.id(),
          sandbox.snapshotTag(),
          sandbox.pid(),
          sandbox.memoryLimitMib().map(limit -> limit + " MiB").orElse("–"),
          sandbox.pooled() ? "pool" : "fork",
          age(sandbox, now),
          branches(sandbox),
          sandbox.proof().map(proof -> proof.hostname()).orElse("–"));
    }
    table.print(terminal());
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
  private static String branches(SandboxInfo sandbox) {
    return sandbox.branchCount() + sandbox.branchMode().map(mode -> ", " + mode).orElse("");
  }
}
