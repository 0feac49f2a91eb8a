package io.forkd.cli;

import io.forkd.base.Tag;
import io.forkd.client.ForkOutcome;
import io.forkd.client.ForkdClient;
import io.forkd.client.JsonObject;
import io.forkd.client.SandboxInfo;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code forkd fork}: makes children of a snapshot. */
@Command(name = "fork", description = "Fork children from a snapshot.")
final class ForkCommand extends ForkdCommand {
  private static final int SHOWN_FAILURES = 10;

  @Option(names = "--tag", required = true, paramLabel = "TAG", description = "The snapshot.")
  private String tag = "";

  @Option(names = "-n", paramLabel = "N", description = "How many children, 1 to 1000; default 1.")
  private int n = 1;

  @Option(
      names = "--memory-limit-mib",
      paramLabel = "M",
      description = "The most memory one child may take.")
  private Optional<Integer> memoryLimitMib = Optional.empty();

  @Option(
      names = "--settle-secs",
      paramLabel = "S",
      description = "Wait so long and then check that all children still live.")
  private Optional<Integer> settleSecs = Optional.empty();

  ForkCommand(Context context) {
    super(context);
  }

  @Override
  public Integer call() {
    Tag.of(tag);
    if (n < 1 || n > 1000) {
      throw new CliException(ExitCode.USAGE, "-n is %d: ask for 1 to 1000 children.".formatted(n));
    }
    ForkOutcome outcome;
    double wallMs;
    try (ForkdClient client = daemon();
        Steps steps = new Steps(terminal())) {
      steps.begin("fork", "Forking %d of %s".formatted(n, tag));
      long began = System.nanoTime();
      outcome = client.fork(tag, n, memoryLimitMib);
      wallMs = (System.nanoTime() - began) / 1e6;
      outcome = settled(client, outcome, steps);
    }
    if (json) {
      printJson(outcome, wallMs);
    } else {
      print(outcome, wallMs);
    }
    return outcome.sandboxes().size() == n ? ExitCode.OK : ExitCode.FAILED;
  }

  private ForkOutcome settled(ForkdClient client, ForkOutcome outcome, Steps steps) {
    if (settleSecs.isEmpty()) {
      return outcome;
    }
    steps.begin("settle", "Letting the children settle");
    Pause.millis(settleSecs.get() * 1000L);
    Set<String> alive =
        client.sandboxes().stream().map(SandboxInfo::id).collect(Collectors.toSet());
    List<ForkOutcome.Failure> failures = new ArrayList<>(outcome.failures());
    List<SandboxInfo> living = new ArrayList<>();
    for (SandboxInfo child : outcome.sandboxes()) {
      if (alive.contains(child.id())) {
        living.add(child);
      } else {
        failures.add(new ForkOutcome.Failure(index(child), child.id() + " died while settling"));
      }
    }
    return new ForkOutcome(living, failures);
  }

  /** Ids end in the child's number in its request. */
  private static int index(SandboxInfo child) {
    return Integer.parseInt(child.id().substring(child.id().lastIndexOf('-') + 1));
  }

  private void printJson(ForkOutcome outcome, double wallMs) {
    terminal()
        .json(
            JsonObject.ofPairs(
                "tag",
                tag,
                "requested",
                n,
                "alive",
                outcome.sandboxes().size(),
                "wall_ms",
                wallMs,
                "sandboxes",
                outcome.sandboxes().stream().map(SandboxInfo::json).toList(),
                "failures",
                failures(outcome)));
  }

  private static List<JsonObject> failures(ForkOutcome outcome) {
    return outcome.failures().stream()
        .map(failure -> JsonObject.ofPairs("index", failure.index(), "error", failure.error()))
        .toList();
  }

  private void print(ForkOutcome outcome, double wallMs) {
    if (!outcome.sandboxes().isEmpty()) {
      Children.print(terminal(), outcome.sandboxes());
    }
    int alive = outcome.sandboxes().size();
    terminal()
        .out()
        .println(
            "%s of %s alive in %s, %s each. Next: forkd exec ID -- hostname, forkd kill --tag %s"
                .formatted(alive, n, Units.millis(wallMs), Units.millis(wallMs / n), tag));
    outcome.failures().stream()
        .limit(SHOWN_FAILURES)
        .forEach(
            f ->
                terminal()
                    .err()
                    .println("forkd: child %d failed: %s".formatted(f.index(), f.error())));
    int unnamed = n - alive - Math.min(SHOWN_FAILURES, outcome.failures().size());
    if (unnamed > 0) {
      terminal()
          .err()
          .println("forkd: %d more failed. Next: `forkd daemon logs`.".formatted(unnamed));
    }
  }
}
