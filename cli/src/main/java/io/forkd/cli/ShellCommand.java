package io.forkd.cli;

import io.forkd.base.SandboxId;
import io.forkd.client.ForkdClient;
import io.forkd.client.TerminalRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code forkd shell}: a terminal in a sandbox. */
@Command(
    name = "shell",
    customSynopsis = "forkd shell [--user U] [--cwd D] ID [-- CMD [ARG...]]",
    description = "A terminal in a sandbox: a login shell, or a program; ends with its exit code.")
final class ShellCommand extends ForkdCommand {
  @Option(names = "--user", paramLabel = "U", description = "As whom; default root.")
  private Optional<String> user = Optional.empty();

  @Option(names = "--cwd", paramLabel = "D", description = "Where; default the user's home.")
  private Optional<String> cwd = Optional.empty();

  @Parameters(index = "0", paramLabel = "ID", description = "The sandbox.")
  private String id = "";

  @Parameters(
      index = "1..*",
      arity = "0..*",
      paramLabel = "CMD",
      description = "Program and arguments.")
  private List<String> args = new ArrayList<>();

  ShellCommand(Context context) {
    super(context);
  }

  @Override
  public Integer call() {
    SandboxId.of(id);
    if (json) {
      throw CliException.usage("A terminal is for people. Next: `forkd exec --json`.");
    }
    TerminalRequest request =
        new TerminalRequest(
            command(args), TerminalSession.size(terminal()), user, cwd, context.variable("TERM"));
    try (ForkdClient client = daemon()) {
      TerminalSession session = new TerminalSession(terminal(), true, Optional.empty());
      return session.run(client.terminal(id, request), () -> {});
    }
  }

  /** The words as a shell reads them back. */
  static Optional<String> command(List<String> words) {
    return words.isEmpty()
        ? Optional.empty()
        : Optional.of(
            words.stream().map(ShellCommand::quoted).collect(Collectors.joining(" ", "exec ", "")));
  }

  private static String quoted(String word) {
    return word.matches("[A-Za-z0-9_./:=@%+-]+") ? word : "'" + word.replace("'", "'\\''") + "'";
  }
}
