package io.forkd.cli;

import io.forkd.base.SandboxId;
import io.forkd.client.EvalOutcome;
import io.forkd.client.ForkdClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code forkd eval}: runs code in a sandbox's warmed runtime. */
@Command(
    name = "eval",
    customSynopsis = "forkd eval [--timeout-secs S] [--json] ID -- CODE",
    description = "Run code in a sandbox's warmed runtime and print the last expression.")
final class EvalCommand extends ForkdCommand {
  @Option(
      names = "--timeout-secs",
      paramLabel = "S",
      description = "Give up after so long; default 30.")
  private int timeoutSecs = 30;

  @Parameters(index = "0", paramLabel = "ID", description = "The sandbox.")
  private String id = "";

  @Parameters(index = "1..*", arity = "1..*", paramLabel = "CODE", description = "The code.")
  private List<String> code = new ArrayList<>();

  EvalCommand(Context context) {
    super(context);
  }

  @Override
  public Integer call() {
    SandboxId.of(id);
    EvalOutcome outcome;
    try (ForkdClient client = daemon()) {
      outcome = client.eval(id, String.join(" ", code), Duration.ofSeconds(timeoutSecs));
    }
    if (json) {
      terminal().json(outcome.json());
      return outcome.exitCode();
    }
    terminal().out().print(outcome.stdout());
    outcome.result().ifPresent(terminal().out()::println);
    terminal().out().flush();
    terminal().err().print(outcome.stderr());
    outcome.traceback().or(outcome::error).ifPresent(terminal().err()::println);
    return outcome.exitCode();
  }
}
