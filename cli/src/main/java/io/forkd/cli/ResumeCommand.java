package io.forkd.cli;

import io.forkd.client.ForkdClient;
import picocli.CommandLine.Command;

/** {@code forkd resume}: lets paused sandboxes go on. */
@Command(name = "resume", description = "Let paused sandboxes go on where they were.")
final class ResumeCommand extends SandboxesCommand {
  ResumeCommand(Context context) {
    super(context);
  }

  @Override
  public Integer call() {
    return each("resume", "resumed", ForkdClient::resume);
  }
}
