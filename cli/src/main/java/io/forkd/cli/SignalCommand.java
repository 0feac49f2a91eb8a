package io.forkd.cli;

import io.forkd.base.SandboxId;
import io.forkd.client.ForkdClient;
import io.forkd.client.JsonObject;
import java.util.Locale;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code forkd signal}: signals a process in a sandbox and its group. */
@Command(name = "signal", description = "Send a signal to a process in a sandbox and its group.")
final class SignalCommand extends ForkdCommand {
  @Parameters(index = "0", paramLabel = "ID", description = "The sandbox.")
  private String id = "";

  @Parameters(index = "1", paramLabel = "PID", description = "As `forkd ps` tells.")
  private int pid;

  @Parameters(index = "2", paramLabel = "SIGNAL", description = "TERM, SIGTERM or 15.")
  private String signal = "";

  SignalCommand(Context context) {
    super(context);
  }

  @Override
  public Integer call() {
    SandboxId.of(id);
    String name = name(signal);
    try (ForkdClient client = daemon()) {
      client.processes(id).signal(pid, name);
    }
    if (json) {
      terminal().json(JsonObject.ofPairs("pid", pid, "signal", name));
    }
    return ExitCode.OK;
  }

  private static String name(String word) {
    String upper = word.toUpperCase(Locale.ROOT);
    if (!upper.matches("[0-9]{1,2}|[A-Z][A-Z0-9+-]{1,14}")) {
      throw CliException.usage(
          "'%s' is no signal: use a name such as TERM, or a number.".formatted(Visible.name(word)));
    }
    boolean complete = upper.startsWith("SIG") || Character.isDigit(upper.charAt(0));
    return complete ? upper : "SIG" + upper;
  }
}
