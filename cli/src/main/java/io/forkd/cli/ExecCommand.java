package io.forkd.cli;

import io.forkd.base.SandboxId;
import io.forkd.client.Feed;
import io.forkd.client.ForkdClient;
import io.forkd.client.ProcessEvent;
import io.forkd.client.ProcessInfo;
import io.forkd.client.ProcessRequest;
import io.forkd.client.Processes;
import io.forkd.client.TerminalSize;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code forkd exec}: runs a program in a sandbox and ends with its exit code. */
@Command(
    name = "exec",
    customSynopsis = "forkd exec [OPTIONS] ID -- CMD [ARG...]",
    description = "Run a program in a sandbox; its output and exit code become this command's.")
final class ExecCommand extends ForkdCommand {
  private static final int USUAL_SECONDS = 30;

  @Option(
      names = {"-i", "--interactive"},
      description = "Pass standard input on to it.")
  private boolean interactive;

  @Option(
      names = {"-t", "--tty"},
      description = "Give it a terminal.")
  private boolean tty;

  @Option(names = "--user", paramLabel = "U", description = "As whom; default root.")
  private Optional<String> user = Optional.empty();

  @Option(names = "--cwd", paramLabel = "D", description = "Where; default the user's home.")
  private Optional<String> cwd = Optional.empty();

  @Option(
      names = {"-e", "--env"},
      paramLabel = "NAME=VALUE",
      description = "A variable for it; may be repeated.")
  private List<String> env = new ArrayList<>();

  @Option(
      names = {"--timeout", "--timeout-secs"},
      paramLabel = "S",
      description = "Kill it after so long; 0: never. Default 30; with -i, -t or --detach never.")
  private Optional<Integer> timeoutSecs = Optional.empty();

  @Option(names = "--detach", description = "Let it run and print its process id.")
  private boolean detach;

  @Option(names = "--tag", paramLabel = "T", description = "A name to find it by.")
  private Optional<String> tag = Optional.empty();

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
    requireSense();
    ProcessRequest request = request();
    try (ForkdClient client = daemon()) {
      Processes processes = client.processes(id);
      if (detach) {
        return printed(processes.start(request));
      }
      return tty ? onTerminal(processes, request) : stream(processes, request);
    }
  }

  private void requireSense() {
    if (detach && interactive) {
      throw CliException.usage("--detach and -i exclude each other: nobody would type.");
    }
    if (tty && json && !detach) {
      throw CliException.usage("-t and --json exclude each other: a terminal is for people.");
    }
    if (timeoutSecs.isPresent() && timeoutSecs.get() < 0) {
      throw CliException.usage(
          "--timeout is %d: use 0 or more seconds.".formatted(timeoutSecs.get()));
    }
  }

  private ProcessRequest request() {
    boolean unlimited = interactive || tty || detach;
    int seconds = timeoutSecs.orElse(unlimited ? 0 : USUAL_SECONDS);
    Map<String, String> variables = new LinkedHashMap<>();
    if (tty) {
      variables.put("TERM", context.variable("TERM").orElse("xterm-256color"));
    }
    variables.putAll(Pairs.parse("-e", env));
    Optional<TerminalSize> size =
        tty ? Optional.of(TerminalSession.size(terminal())) : Optional.empty();
    return new ProcessRequest(
        args,
        variables,
        cwd,
        user,
        interactive,
        size,
        tag,
        Optional.of(seconds).filter(some -> some > 0).map(Duration::ofSeconds));
  }

  private int printed(ProcessInfo process) {
    if (json) {
      terminal().json(process.json());
    } else {
      terminal().out().println(process.pid());
    }
    return ExitCode.OK;
  }

  private int onTerminal(Processes processes, ProcessRequest request) {
    int pid = processes.start(request).pid();
    TerminalSession session = new TerminalSession(terminal(), interactive, Optional.empty());
    return session.run(processes.terminal(pid, true), () -> processes.signal(pid, "SIGHUP"));
  }

  private int stream(Processes processes, ProcessRequest request) {
    try (Feed<ProcessEvent> feed = processes.run(request);
        ProcessOutput output = new ProcessOutput(terminal(), json)) {
      ProcessRelay relay = new ProcessRelay(id, processes, terminal());
      ProcessEvent.End end = relay.run(feed, output, interactive);
      if (end.timedOut()) {
        terminal()
            .err()
            .println(
                "forkd: killed after %d s. Next: a larger --timeout."
                    .formatted(request.timeout().map(Duration::toSeconds).orElse(0L)));
      }
      return end.exitCode();
    }
  }
}
