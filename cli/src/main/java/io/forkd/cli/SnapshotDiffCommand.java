package io.forkd.cli;

import io.forkd.base.Printable;
import io.forkd.base.Tag;
import io.forkd.client.BranchRequest;
import io.forkd.client.EvalOutcome;
import io.forkd.client.ExecOutcome;
import io.forkd.client.ForkdClient;
import io.forkd.client.SnapshotInfo;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code forkd snapshot-diff}: makes a snapshot out of another one and a command. */
@Command(
    name = "snapshot-diff",
    description = "Run something in a child of a snapshot, and keep the result as another one.")
final class SnapshotDiffCommand extends ForkdCommand {
  private static final int LONGEST_TIMEOUT_SECS = 3600;
  private static final int SHOWN_OUTPUT = 8192;

  @Option(names = "--from", required = true, paramLabel = "TAG", description = "The parent.")
  private String from = "";

  @Option(names = "--tag", required = true, paramLabel = "TAG", description = "The new one's name.")
  private String tag = "";

  @Option(names = "--exec", paramLabel = "COMMAND", description = "What /bin/sh is to run.")
  private Optional<String> command = Optional.empty();

  @Option(
      names = "--eval",
      paramLabel = "CODE",
      description = "What the warmed runtime is to run, after --exec when both are given.")
  private Optional<String> code = Optional.empty();

  @Option(
      names = "--timeout-secs",
      paramLabel = "S",
      description = "Give up on either after so long; default 600.")
  private int timeoutSecs = 600;

  @Option(
      names = "--ttl",
      paramLabel = "TIME",
      converter = DurationConverter.class,
      description = "Let the snapshot be collected after 90s, 15m, 2h or 7d.")
  private Optional<Duration> ttl = Optional.empty();

  SnapshotDiffCommand(Context context) {
    super(context);
  }

  @Override
  public Integer call() {
    requireSense();
    Duration timeout = Duration.ofSeconds(timeoutSecs);
    SnapshotInfo snapshot;
    try (ForkdClient client = daemon();
        Steps steps = new Steps(terminal())) {
      requireNew(client);
      steps.begin("fork", "Forking a child of " + from);
      try (TemporaryChild child =
          TemporaryChild.of(client, terminal(), from, timeout.multipliedBy(2))) {
        command.ifPresent(
            text -> {
              steps.begin("exec", "Running `%s`".formatted(Printable.shorten(text)));
              requireExec(client.exec(child.id(), List.of("/bin/sh", "-c", text), timeout));
            });
        code.ifPresent(
            text -> {
              steps.begin("eval", "Running the code");
              requireEval(client.eval(child.id(), text, timeout));
            });
        steps.begin("branch", "Keeping the child as " + tag);
        snapshot = client.branch(child.id(), request());
      }
    }
    return Branches.report(terminal(), json, snapshot);
  }

  private void requireSense() {
    Tag.of(from);
    Tag.of(tag);
    if (from.equals(tag)) {
      throw CliException.usage("--from and --tag are both %s: use another --tag.".formatted(tag));
    }
    if (command.isEmpty() && code.isEmpty()) {
      throw CliException.usage("Say what to run: --exec COMMAND, --eval CODE or both.");
    }
    if (timeoutSecs < 1 || timeoutSecs > LONGEST_TIMEOUT_SECS) {
      throw CliException.usage(
          "--timeout-secs is %d: use 1 to %d.".formatted(timeoutSecs, LONGEST_TIMEOUT_SECS));
    }
  }

  /** The daemon would say so too, but only after the work. */
  private void requireNew(ForkdClient client) {
    if (client.snapshots().stream().anyMatch(snapshot -> snapshot.tag().equals(tag))) {
      throw CliException.failed(
          "Snapshot %s is there already. Next: another --tag, or forkd rmi %s".formatted(tag, tag));
    }
  }

  private BranchRequest request() {
    return new BranchRequest(Optional.of(tag), Optional.empty(), true, ttl, Optional.empty());
  }

  private void requireExec(ExecOutcome outcome) {
    if (outcome.timedOut()) {
      throw refused(
          "was killed after %d s".formatted(timeoutSecs),
          "a larger --timeout-secs",
          outcome.stdout() + outcome.stderr());
    }
    if (outcome.exitCode() != 0) {
      throw refused(
          "ended with exit code %d".formatted(outcome.exitCode()),
          "mend the command",
          outcome.stdout() + outcome.stderr());
    }
  }

  private void requireEval(EvalOutcome outcome) {
    if (outcome.exitCode() != 0) {
      String why = outcome.traceback().or(outcome::error).orElse("");
      throw refused("raised an error", "mend the code", outcome.stdout() + outcome.stderr() + why);
    }
  }

  private CliException refused(String what, String next, String output) {
    String end = output.strip();
    String shown =
        end.length() > SHOWN_OUTPUT ? "…" + end.substring(end.length() - SHOWN_OUTPUT) : end;
    return CliException.failed(
        "What was to make %s %s, so there is no such snapshot. Next: %s. It said%s"
            .formatted(
                tag, what, next, shown.isEmpty() ? " nothing." : ":\n" + Visible.text(shown)));
  }
}
