package io.forkd.cli;

import io.forkd.base.SandboxId;
import io.forkd.base.Tag;
import io.forkd.client.BranchMode;
import io.forkd.client.ChildRequest;
import io.forkd.client.FanOutRequest;
import io.forkd.client.FanOutcome;
import io.forkd.client.ForkOutcome;
import io.forkd.client.ForkRequest;
import io.forkd.client.ForkdClient;
import io.forkd.client.SandboxInfo;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code forkd fork}: makes children of a snapshot, or of a running sandbox as it is now. */
@Command(
    name = "fork",
    description = "Fork children from a snapshot, or from a running sandbox as it is now.")
final class ForkCommand extends ForkdCommand {
  @Option(
      names = "--tag",
      paramLabel = "TAG",
      description = "The snapshot; with --from, the name of the branch that is taken.")
  private Optional<String> tag = Optional.empty();

  @Option(
      names = "--from",
      paramLabel = "ID",
      description = "Branch this running sandbox and fork the branch.")
  private Optional<String> from = Optional.empty();

  @Option(names = "-n", paramLabel = "N", description = "How many children, 1 to 1000; default 1.")
  private int n = 1;

  @Mixin private ChildOptions child = new ChildOptions();

  @Option(
      names = "--mode",
      paramLabel = "MODE",
      converter = BranchModeConverter.class,
      description = "With --from: full, diff or live; default: the best the host can do.")
  private Optional<BranchMode> mode = Optional.empty();

  @Option(
      names = "--snapshot-ttl",
      paramLabel = "TIME",
      converter = DurationConverter.class,
      description = "With --from: let the branch be collected after so long.")
  private Optional<Duration> snapshotTtl = Optional.empty();

  @Option(
      names = "--keep-last",
      paramLabel = "K",
      description = "With --from: keep the last K branches of the sandbox.")
  private Optional<Integer> keepLast = Optional.empty();

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
    requireSense();
    ChildRequest given = child.request();
    ForkReport report;
    try (ForkdClient client = daemon();
        Steps steps = new Steps(terminal())) {
      ForkReport forked =
          from.isPresent() ? fanOut(client, given, steps) : fork(client, given, steps);
      report = settled(client, forked, steps);
    }
    if (json) {
      terminal().json(report.json());
    } else {
      report.print(terminal());
    }
    return report.complete() ? ExitCode.OK : ExitCode.FAILED;
  }

  private void requireSense() {
    tag.ifPresent(Tag::of);
    from.ifPresent(SandboxId::of);
    if (tag.isEmpty() && from.isEmpty()) {
      throw CliException.usage("Say what to fork: --tag TAG, or --from ID.");
    }
    if (from.isEmpty() && (mode.isPresent() || snapshotTtl.isPresent() || keepLast.isPresent())) {
      throw CliException.usage(
          "--mode, --snapshot-ttl and --keep-last are for the branch of a sandbox: add --from ID.");
    }
    if (n < 1 || n > 1000) {
      throw CliException.usage("-n is %d: ask for 1 to 1000 children.".formatted(n));
    }
    BranchOptions.requireSome(keepLast);
  }

  private ForkReport fork(ForkdClient client, ChildRequest given, Steps steps) {
    String snapshot = tag.orElseThrow();
    steps.begin("fork", "Forking %d of %s".formatted(n, snapshot));
    long began = System.nanoTime();
    ForkOutcome outcome = client.fork(new ForkRequest(snapshot, n, false, given));
    return new ForkReport(snapshot, n, outcome, millisSince(began), Optional.empty());
  }

  private ForkReport fanOut(ForkdClient client, ChildRequest given, Steps steps) {
    String source = from.orElseThrow();
    steps.begin("fork", "Branching %s and forking %d of it".formatted(source, n));
    FanOutRequest request = new FanOutRequest(n, tag, mode, given, snapshotTtl, keepLast);
    long began = System.nanoTime();
    FanOutcome outcome = client.forkSandbox(source, request);
    return new ForkReport(
        outcome.snapshot().tag(),
        n,
        outcome.children(),
        millisSince(began),
        Optional.of(outcome.snapshot()));
  }

  private static double millisSince(long began) {
    return (System.nanoTime() - began) / 1e6;
  }

  private ForkReport settled(ForkdClient client, ForkReport forked, Steps steps) {
    if (settleSecs.isEmpty()) {
      return forked;
    }
    steps.begin("settle", "Letting the children settle");
    Pause.millis(settleSecs.get() * 1000L);
    Set<String> alive =
        client.sandboxes().stream().map(SandboxInfo::id).collect(Collectors.toSet());
    List<ForkOutcome.Failure> failures = new ArrayList<>(forked.outcome().failures());
    List<SandboxInfo> living = new ArrayList<>();
    for (SandboxInfo child : forked.outcome().sandboxes()) {
      if (alive.contains(child.id())) {
        living.add(child);
      } else {
        failures.add(new ForkOutcome.Failure(index(child), child.id() + " died while settling"));
      }
    }
    return forked.with(new ForkOutcome(living, failures));
  }

  /** Ids end in the child's number in its request. */
  private static int index(SandboxInfo child) {
    return Integer.parseInt(child.id().substring(child.id().lastIndexOf('-') + 1));
  }
}
