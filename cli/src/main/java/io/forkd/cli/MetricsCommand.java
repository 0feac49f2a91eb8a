package io.forkd.cli;

import io.forkd.base.SandboxId;
import io.forkd.client.ForkdClient;
import io.forkd.client.GuestUse;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code forkd metrics}: what a sandbox uses, as seen from inside. */
@Command(name = "metrics", description = "What a sandbox uses of what it has, seen from inside.")
final class MetricsCommand extends ForkdCommand {
  @Parameters(index = "0", paramLabel = "ID", description = "The sandbox.")
  private String id = "";

  MetricsCommand(Context context) {
    super(context);
  }

  @Override
  public Integer call() {
    SandboxId.of(id);
    GuestUse use;
    try (ForkdClient client = daemon()) {
      use = client.metrics(id);
    }
    if (json) {
      terminal().json(use.json());
      return ExitCode.OK;
    }
    new Table("", ">USED", ">OF")
        .row("processors", "%.1f %%".formatted(use.cpuUsedPercent()), use.cpus())
        .row("memory", Units.bytes(use.memoryUsed()), Units.bytes(use.memoryTotal()))
        .row("page cache", Units.bytes(use.memoryCache()), "")
        .row("disk", Units.bytes(use.diskUsed()), Units.bytes(use.diskTotal()))
        .print(terminal());
    return ExitCode.OK;
  }
}
