package io.forkd.cli;

import io.forkd.client.ForkdClient;
import picocli.CommandLine.Command;

/** {@code forkd kill}: ends sandboxes. */
@Command(name = "kill", description = "End sandboxes: by id, all of a snapshot or label, or all.")
final class KillCommand extends SandboxesCommand {
  KillCommand(Context context) {
    super(context);
  }

  @Override
  public Integer call() {
    return each("end", "killed", ForkdClient::kill);
  }
}
