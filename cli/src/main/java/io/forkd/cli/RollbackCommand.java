package io.forkd.cli;

import io.forkd.base.SandboxId;
import io.forkd.base.Tag;
import io.forkd.client.ForkdClient;
import io.forkd.client.SandboxInfo;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code forkd rollback}: puts a sandbox back to a snapshot of its family. */
@Command(
    name = "rollback",
    description = "Put a sandbox back to a snapshot of its family; it keeps its id.")
final class RollbackCommand extends ForkdCommand {
  @Parameters(index = "0", paramLabel = "ID", description = "The sandbox.")
  private String id = "";

  @Parameters(index = "1", paramLabel = "TAG", description = "The snapshot to go back to.")
  private String tag = "";

  RollbackCommand(Context context) {
    super(context);
  }

  @Override
  public Integer call() {
    SandboxId.of(id);
    Tag.of(tag);
    SandboxInfo sandbox;
    long began = System.nanoTime();
    try (ForkdClient client = daemon();
        Steps steps = new Steps(terminal())) {
      steps.begin("rollback", "Putting %s back to %s".formatted(id, tag));
      sandbox = client.rollback(id, tag);
    }
    if (json) {
      terminal().json(sandbox.json());
    } else {
      terminal()
          .out()
          .println(
              "%s is back at %s after %s (pid %d); what it did since is gone. Next: forkd exec %s -- CMD"
                  .formatted(
                      id,
                      terminal().bold(tag),
                      Units.millis((System.nanoTime() - began) / 1e6),
                      sandbox.pid(),
                      id));
    }
    return ExitCode.OK;
  }
}
