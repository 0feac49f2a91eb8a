package io.forkd.cli;

import io.forkd.base.SandboxId;
import io.forkd.client.ExecOutcome;
import io.forkd.client.ForkdClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code forkd exec}: runs a program in a sandbox and ends with its exit code. */
@Command(
    name = "exec",
    customSynopsis = "forkd exec [--timeout-secs S] [--json] ID -- CMD [ARG...]",
    description = "Run a program in a sandbox; its output and exit code become this command's.")
final class ExecCommand extends ForkdCommand {
  @Option(
      names = "--timeout-secs",
      paramLabel = "S",
      description = "Kill it after so long; default 30.")
  private int timeoutSecs = 30;

  @Parameters(index = "0", paramLabel = "ID", description = "The sandbox.")
  private String id = "";

  @Parameters(
      index = "1..*",
      arity = "1..*",
      paramLabel = "CMD",
      description = "Program and arguments.")
  private List<String> args = new ArrayList<>();

  ExecCommand(Context context) {
    super(context);
  }

  @Override
  public Integer call() {
    SandboxId.of(id);
    ExecOutcome outcome;
    try (ForkdClient client = daemon()) {
      outcome = client.exec(id, args, Duration.ofSeconds(timeoutSecs));
    }
    if (json) {
      terminal().json(outcome.json());
    } else {
      terminal().out().print(outcome.stdout());
      terminal().out().flush();
      terminal().err().print(outcome.stderr());
      terminal().err().flush();
    }
    if (outcome.timedOut()) {
      terminal()
          .err()
          .println(
              "forkd: killed after %d s. Next: a larger --timeout-secs.".formatted(timeoutSecs));
    }
    if (outcome.truncated()) {
      terminal().err().println("forkd: the output was too long and its end is missing.");
    }
    return outcome.exitCode();
  }
}
