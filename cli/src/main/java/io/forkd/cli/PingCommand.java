package io.forkd.cli;

import io.forkd.base.SandboxId;
import io.forkd.client.ForkdClient;
import io.forkd.client.JsonObject;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code forkd ping}: asks a sandbox's agent for a sign of life. */
@Command(name = "ping", description = "Ask a sandbox's agent for a sign of life.")
final class PingCommand extends ForkdCommand {
  @Parameters(index = "0", paramLabel = "ID", description = "The sandbox.")
  private String id = "";

  PingCommand(Context context) {
    super(context);
  }

  @Override
  public Integer call() {
    SandboxId.of(id);
    long began = System.nanoTime();
    JsonObject pong;
    try (ForkdClient client = daemon()) {
      pong = client.ping(id);
    }
    if (json) {
      terminal().json(pong);
    } else {
      terminal()
          .out()
          .println(
              "%s answers (%s)".formatted(id, Units.millis((System.nanoTime() - began) / 1e6)));
    }
    return pong.flag("pong") ? ExitCode.OK : ExitCode.FAILED;
  }
}
