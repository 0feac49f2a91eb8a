package io.forkd.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.forkd.base.ForkdException;
import io.forkd.client.ForkdClientException;
import io.forkd.client.JsonObject;
import java.io.PrintWriter;
import java.util.Arrays;
import java.util.List;
import picocli.CommandLine;

/**
 * Parses a command line and runs what it asks for; the only place where failures become exit codes.
 */
final class Cli {
  private Cli() {}

  static int run(Context context, String... args) {
    CommandLine line = build(context, args);
    line.setExecutionExceptionHandler((problem, command, parsed) -> report(context, problem, args));
    line.setParameterExceptionHandler((problem, words) -> misused(context, problem, words));
    return line.execute(args.length == 0 ? new String[] {"--help"} : args);
  }

  /** Building the model of a command costs milliseconds, so only the one asked for is built. */
  private static CommandLine build(Context context, String[] args) {
    CommandLine line = new CommandLine(new RootCommand());
    Commands.matching(args.length == 0 ? "" : args[0])
        .forEach(entry -> line.addSubcommand(entry.name(), model(context, entry), entry.aliases()));
    line.setOut(new PrintWriter(context.terminal().out(), true, UTF_8));
    line.setErr(new PrintWriter(context.terminal().err(), true, UTF_8));
    line.setColorScheme(
        CommandLine.Help.defaultColorScheme(
            context.terminal().colour() ? CommandLine.Help.Ansi.ON : CommandLine.Help.Ansi.OFF));
    line.setExpandAtFiles(false);
    return line;
  }

  private static int misused(
      Context context, CommandLine.ParameterException problem, String[] args) {
    String command = problem.getCommandLine().getCommandSpec().qualifiedName();
    List<String> similar =
        problem instanceof CommandLine.UnmatchedArgumentException unmatched
            ? unmatched.getSuggestions()
            : List.of();
    String message =
        "%s.%s Next: `%s --help`."
            .formatted(
                problem.getMessage(),
                similar.isEmpty() ? "" : " Perhaps %s?".formatted(String.join(" or ", similar)),
                command);
    return fail(context, message, ExitCode.USAGE, args);
  }

  private static CommandLine model(Context context, Commands.Entry entry) {
    Object command = entry.make(context);
    CommandLine line = new CommandLine(command);
    if (command instanceof DaemonCommand.Starting) {
      DaemonFlags.addTo(line.getCommandSpec());
    }
    if (command instanceof GroupCommand group) {
      group
          .entries()
          .forEach(
              inner -> line.addSubcommand(inner.name(), model(context, inner), inner.aliases()));
    }
    return line;
  }

  private static int report(Context context, Exception problem, String[] args) {
    int code =
        switch (problem) {
          case CliException e -> e.exitCode();
          case ForkdClientException e when e.status() == ForkdClientException.UNREACHABLE ->
              ExitCode.UNREACHABLE;
          case ForkdClientException e when e.status() == 400 -> ExitCode.USAGE;
          case ForkdException e when e.code().httpStatus() == 400 -> ExitCode.USAGE;
          case Exception e -> ExitCode.FAILED;
        };
    boolean expected =
        problem instanceof CliException
            || problem instanceof ForkdClientException
            || problem instanceof ForkdException;
    String message =
        expected ? String.valueOf(problem.getMessage()) : "This is a defect in forkd: " + problem;
    if (!expected && context.variable("FORKD_DEBUG").isPresent()) {
      problem.printStackTrace(context.terminal().err());
    }
    return fail(context, message, code, args);
  }

  private static int fail(Context context, String message, int code, String[] args) {
    context.terminal().err().println("forkd: " + message);
    if (Arrays.asList(args).contains("--json")) {
      context.terminal().json(JsonObject.ofPairs("error", message, "exit_code", code));
    }
    return code;
  }
}
