package io.forkd.cli;

import io.forkd.client.ForkdClient;
import picocli.CommandLine.Command;

/** {@code forkd pause}: puts sandboxes on disk. */
@Command(
    name = "pause",
    description = "Put sandboxes on disk: they keep their ids and cost no memory until resumed.")
final class PauseCommand extends SandboxesCommand {
  PauseCommand(Context context) {
    super(context);
  }

  @Override
  public Integer call() {
    return each("pause", "paused", ForkdClient::pause);
  }
}
