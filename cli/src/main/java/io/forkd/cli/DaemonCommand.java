package io.forkd.cli;

import io.forkd.client.DaemonStatus;
import io.forkd.client.ForkdClient;
import io.forkd.client.JsonObject;
import io.forkd.client.SandboxInfo;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code forkd daemon}: the daemon's life. */
@Command(name = "daemon", description = "The daemon: start, stop, restart, status, logs.")
final class DaemonCommand extends GroupCommand {
  DaemonCommand(Context context) {
    super(context);
  }

  @Override
  List<Commands.Entry> entries() {
    return List.of(
        new Commands.Entry("start", Start::new),
        new Commands.Entry("stop", Stop::new),
        new Commands.Entry("restart", Restart::new),
        new Commands.Entry("status", Status::new),
        new Commands.Entry("logs", Logs::new));
  }

  /** What {@code start} and {@code restart} share; {@link DaemonFlags} adds its options. */
  abstract static class Starting extends ForkdCommand {
    @Spec CommandSpec spec = CommandSpec.create();

    @Option(
        names = "--timeout",
        paramLabel = "TIME",
        converter = DurationConverter.class,
        description = "How long the daemon may take until it answers; default 90s.")
    private Duration timeout = DaemonStarter.USUAL;

    Starting(Context context) {
      super(context);
    }

    final List<String> options() {
      return DaemonFlags.of(spec.commandLine().getParseResult());
    }

    final DaemonStarter starter() {
      return new DaemonStarter(context, timeout);
    }

    final String place(DaemonStatus status) {
      return "pid %d, on %s".formatted(status.pid(), context.locations().socket());
    }
  }

  /** {@code forkd daemon start}. */
  @Command(
      name = "start",
      description = "Start the daemon in the background.",
      footer = {"", "What is to last belongs into <data>/daemon.toml: listen = \"127.0.0.1:8889\""})
  static final class Start extends Starting {
    Start(Context context) {
      super(context);
    }

    @Override
    public Integer call() {
      List<String> options = options();
      boolean started;
      try (Steps steps = new Steps(terminal())) {
        started = starter().start(options, steps);
      }
      DaemonStatus status;
      try (ForkdClient client = new DaemonLink(context).client()) {
        status = client.status();
      }
      if (json) {
        terminal().json(JsonObject.ofPairs("started", started, "status", status.json()));
      } else {
        terminal()
            .out()
            .println(
                "%s, %s"
                    .formatted(
                        started ? "Daemon started" : "A daemon runs already", place(status)));
      }
      if (!started && !options.isEmpty()) {
        throw CliException.failed(
            "The daemon that runs keeps its options. Next: `forkd daemon restart` with the new"
                + " ones.");
      }
      return ExitCode.OK;
    }
  }

  /** {@code forkd daemon restart}. */
  @Command(
      name = "restart",
      description = "Stop the daemon and start it again; sandboxes go on running.",
      footer = {"", "What is to last belongs into <data>/daemon.toml: listen = \"127.0.0.1:8889\""})
  static final class Restart extends Starting {
    Restart(Context context) {
      super(context);
    }

    @Override
    public Integer call() {
      List<String> options = options();
      Set<String> before = sandboxes(new DaemonLink(context).running());
      try (Steps steps = new Steps(terminal())) {
        starter().restart(options, steps);
      }
      DaemonStatus status;
      Set<String> after;
      try (ForkdClient client = new DaemonLink(context).client()) {
        status = client.status();
        after = ids(client);
      }
      List<String> lost = before.stream().filter(id -> !after.contains(id)).sorted().toList();
      report(status, after.size(), lost);
      return ExitCode.OK;
    }

    private static Set<String> sandboxes(Optional<ForkdClient> running) {
      if (running.isEmpty()) {
        return Set.of();
      }
      try (ForkdClient client = running.get()) {
        return ids(client);
      }
    }

    private static Set<String> ids(ForkdClient client) {
      return client.sandboxes().stream().map(SandboxInfo::id).collect(Collectors.toSet());
    }

    private void report(DaemonStatus status, int found, List<String> lost) {
      if (json) {
        terminal()
            .json(
                JsonObject.ofPairs(
                    "restarted", true, "sandboxes", found, "ended", lost, "status", status.json()));
        return;
      }
      terminal()
          .out()
          .println(
              "Daemon restarted, %s; %s found again."
                  .formatted(
                      place(status), found == 1 ? "1 sandbox" : "%d sandboxes".formatted(found)));
      if (!lost.isEmpty()) {
        terminal()
            .err()
            .println(
                "forkd: ended meanwhile: %s. Next: `forkd ls --ended` says why."
                    .formatted(String.join(", ", lost)));
      }
    }
  }

  /** {@code forkd daemon stop}. */
  @Command(name = "stop", description = "Stop the daemon; sandboxes go on running.")
  static final class Stop extends ForkdCommand {
    Stop(Context context) {
      super(context);
    }

    @Override
    public Integer call() {
      Optional<Long> pid = DaemonStopper.stop(context);
      if (json) {
        terminal().json(JsonObject.ofPairs("stopped", pid.isPresent(), "pid", pid));
      } else {
        terminal()
            .out()
            .println(pid.map(p -> "Daemon stopped, pid " + p).orElse("No daemon runs."));
      }
      return ExitCode.OK;
    }
  }

  /** {@code forkd daemon status}. */
  @Command(name = "status", description = "Say whether the daemon runs and what it looks after.")
  static final class Status extends ForkdCommand {
    Status(Context context) {
      super(context);
    }

    @Override
    public Integer call() {
      try (ForkdClient client = new DaemonLink(context).client()) {
        DaemonStatus status = client.status();
        if (json) {
          terminal().json(status.json());
          return ExitCode.OK;
        }
        Table table = new Table("DAEMON", "");
        table.row("version", status.version()).row("pid", status.pid());
        table.row("up", Units.age(status.uptime())).row("vmm", status.vmm());
        table.row("data", status.data()).row("run", status.run());
        status.json().object("branching").ifPresent(b -> table.row("branches", branching(b)));
        status
            .json()
            .object("counts")
            .ifPresent(
                counts ->
                    counts
                        .values()
                        .forEach((name, count) -> table.row(name, String.valueOf(count))));
        table.print(terminal());
        return ExitCode.OK;
      }
    }

    private static String branching(JsonObject facts) {
      return "%s (%s), %d of %d under way"
          .formatted(
              facts.text("best"),
              facts.text("reason"),
              facts.number("in_flight"),
              facts.number("cap"));
    }
  }

  /** {@code forkd daemon logs}. */
  @Command(name = "logs", description = "Print the end of the daemon's log.")
  static final class Logs extends ForkdCommand {
    @Option(names = "-n", paramLabel = "LINES", description = "How many lines; default 100.")
    private int lines = 100;

    Logs(Context context) {
      super(context);
    }

    @Override
    public Integer call() {
      Path log = context.locations().log();
      List<String> tail = LogTail.lines(log, lines, 0);
      if (json) {
        terminal().json(JsonObject.ofPairs("log", log, "lines", tail));
      } else if (tail.isEmpty()) {
        terminal().err().println("%s is empty or not there: no daemon ran yet.".formatted(log));
      } else {
        tail.forEach(terminal().out()::println);
      }
      return ExitCode.OK;
    }
  }
}
