package io.forkd.cli;

import io.forkd.base.SandboxId;
import io.forkd.client.ForkdClient;
import io.forkd.client.JsonObject;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code forkd env}: sets variables of a sandbox. */
@Command(
    name = "env",
    description = "Set variables for everything that is started in a sandbox from now on.")
final class EnvCommand extends ForkdCommand {
  @Parameters(index = "0", paramLabel = "ID", description = "The sandbox.")
  private String id = "";

  @Parameters(index = "1..*", arity = "1..*", paramLabel = "NAME=VALUE", description = "Variables.")
  private List<String> pairs = new ArrayList<>();

  EnvCommand(Context context) {
    super(context);
  }

  @Override
  public Integer call() {
    SandboxId.of(id);
    Map<String, String> variables = Pairs.parse("The variable", pairs);
    try (ForkdClient client = daemon()) {
      client.setEnvironment(id, variables);
    }
    if (json) {
      terminal().json(new JsonObject(new LinkedHashMap<>(variables)));
    }
    return ExitCode.OK;
  }
}
