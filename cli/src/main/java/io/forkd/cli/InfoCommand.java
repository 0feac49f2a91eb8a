package io.forkd.cli;

import io.forkd.base.SandboxId;
import io.forkd.client.ForkdClient;
import io.forkd.client.JsonObject;
import io.forkd.client.SandboxInfo;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code forkd info}: tells all about a sandbox. */
@Command(name = "info", description = "Tell all about a sandbox.")
final class InfoCommand extends ForkdCommand {
  @Parameters(index = "0", paramLabel = "ID", description = "The sandbox.")
  private String id = "";

  InfoCommand(Context context) {
    super(context);
  }

  @Override
  public Integer call() {
    SandboxId.of(id);
    SandboxInfo sandbox;
    try (ForkdClient client = daemon()) {
      sandbox = client.sandbox(id);
    }
    if (json) {
      terminal().json(sandbox.json());
    } else {
      print(sandbox, Instant.now());
    }
    return ExitCode.OK;
  }

  private void print(SandboxInfo sandbox, Instant now) {
    JsonObject facts = sandbox.json();
    Table table = new Table("SANDBOX", "");
    table.row("id", sandbox.id()).row("state", States.text(terminal(), sandbox));
    table.row("snapshot", sandbox.snapshotTag());
    table.row("age", Units.age(Duration.between(sandbox.createdAt(), now)));
    row(table, "owner", facts.optionalText("owner"));
    table.row("labels", Labels.text(sandbox.labels()));
    table.row("pid", sandbox.paused() ? "–" : sandbox.pid());
    row(table, "memory limit", sandbox.memoryLimitMib().map(mib -> mib + " MiB"));
    row(table, "cpus", facts.optionalDecimal("cpus").map(InfoCommand::number));
    row(table, "pids", facts.optionalNumber("pids"));
    row(table, "io", facts.optionalNumber("io_bytes_per_sec").map(n -> Units.bytes(n) + "/s"));
    row(table, "time left", sandbox.expiresAt().map(end -> Units.age(Duration.between(now, end))));
    row(table, "idle timeout", facts.optionalNumber("idle_timeout_secs").map(n -> n + " s"));
    row(table, "at its end", facts.optionalText("on_timeout"));
    row(table, "egress", sandbox.egress());
    row(table, "netns", facts.optionalText("netns"));
    row(table, "address", facts.optionalText("guest_addr"));
    row(table, "hostname", sandbox.proof().map(proof -> Visible.name(proof.hostname())));
    table.row("branches", LsCommand.branches(sandbox));
    table.print(terminal());
  }

  private static void row(Table table, String name, Optional<?> value) {
    value.ifPresent(present -> table.row(name, present));
  }

  private static String number(double value) {
    return value == Math.rint(value)
        ? String.valueOf((long) value)
        : String.format(Locale.ROOT, "%s", value);
  }
}
