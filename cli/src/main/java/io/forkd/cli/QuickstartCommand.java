package io.forkd.cli;

import io.forkd.base.Tag;
import io.forkd.client.ForkOutcome;
import io.forkd.client.ForkdClient;
import io.forkd.client.ForkdClientException;
import io.forkd.client.SandboxInfo;
import io.forkd.client.SnapshotRequest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code forkd quickstart}: from a bare machine to warm children that answer. */
@Command(
    name = "quickstart",
    description =
        "Install what is needed, snapshot a warmed Python, fork it and let each child compute.")
final class QuickstartCommand extends ForkdCommand {
  static final String CODE = "numpy.zeros(5).tolist()";
  static final String ANSWER = "[0.0, 0.0, 0.0, 0.0, 0.0]";

  @Option(names = "--yes", description = "Install missing Debian packages without asking.")
  private boolean yes;

  @Option(names = "-n", paramLabel = "N", description = "How many children; default 10.")
  private int n = 10;

  @Option(
      names = "--tag",
      paramLabel = "TAG",
      description = "The snapshot's name; default python-numpy.")
  private String tag = "python-numpy";

  QuickstartCommand(Context context) {
    super(context);
  }

  @Override
  public Integer call() {
    Tag.of(tag);
    if (n < 1 || n > 1000) {
      throw new CliException(ExitCode.USAGE, "-n is %d: ask for 1 to 1000 children.".formatted(n));
    }
    QuickstartReport report = new QuickstartReport(tag, n);
    DaemonLink link = new DaemonLink(context);
    if (!link.foreign()) {
      installPackages(report);
    }
    try (Steps steps = new Steps(terminal())) {
      report.startedDaemon = !link.foreign() && new DaemonStarter(context).start(List.of(), steps);
      try (ForkdClient client = link.client()) {
        makeSnapshot(client, steps, report);
        forkAndAsk(client, steps, report);
      } finally {
        if (report.startedDaemon) {
          DaemonStopper.stop(context, steps);
        }
        report.stepSeconds = steps.seconds();
      }
    }
    if (json) {
      terminal().json(report.json(WhereCommand.places(context)));
    } else {
      report.print(terminal(), WhereCommand.places(context));
    }
    return report.allRight() ? ExitCode.OK : ExitCode.FAILED;
  }

  private void installPackages(QuickstartReport report) {
    // What the launcher had to install before this program could be built.
    List<String> before =
        context
            .variable("FORKD_INSTALLED")
            .map(names -> List.of(names.split(" ")))
            .orElse(List.of());
    report.installedPackages = before;
    List<String> missing =
        Packages.missing(Packages.needed(context.home().resolve("packaging/packages-run")));
    if (missing.isEmpty()) {
      return;
    }
    String line = "apt-get install " + String.join(" ", missing);
    terminal().err().println("Missing Debian packages: " + String.join(" ", missing));
    if (!yes && !terminal().confirm("Install them now?")) {
      throw CliException.failed(
          "Packages are missing. Next: %s, or forkd quickstart --yes.".formatted(line));
    }
    if (!Context.isRoot()) {
      throw CliException.failed("Only root can install packages. Next: sudo " + line);
    }
    try (Steps steps = new Steps(terminal())) {
      Packages.install(missing, aptLog(), steps);
    }
    report.installedPackages = Stream.concat(before.stream(), missing.stream()).toList();
  }

  private Path aptLog() {
    Path log = context.locations().log().resolveSibling("apt.log");
    try {
      Files.createDirectories(log.resolveSibling(""));
      return log;
    } catch (IOException e) {
      throw CliException.failed("Cannot make %s (%s). Next: set FORKD_DATA.".formatted(log, e));
    }
  }

  private void makeSnapshot(ForkdClient client, Steps steps, QuickstartReport report) {
    if (client.snapshots().stream().anyMatch(s -> s.tag().equals(tag) && s.bootable())) {
      return;
    }
    steps.begin("snapshot", "Making snapshot " + tag);
    long began = System.nanoTime();
    client.createSnapshot(SnapshotRequest.ofRecipe(tag, "python-numpy"), steps);
    report.snapshotMade = Optional.of((System.nanoTime() - began) / 1e9);
  }

  private void forkAndAsk(ForkdClient client, Steps steps, QuickstartReport report) {
    steps.begin("fork", "Forking %d children of %s".formatted(n, tag));
    long began = System.nanoTime();
    ForkOutcome outcome = client.fork(tag, n, Optional.empty());
    report.forkMs = (System.nanoTime() - began) / 1e6;
    report.failures = outcome.failures();
    try {
      steps.begin("eval", "Asking each child for " + CODE);
      report.children = Questions.ask(client, outcome.sandboxes());
    } finally {
      steps.begin("kill", "Ending the children");
      end(client, outcome.sandboxes(), report);
    }
  }

  private static void end(ForkdClient client, List<SandboxInfo> children, QuickstartReport report) {
    List<String> left = new ArrayList<>();
    for (SandboxInfo child : children) {
      try {
        client.kill(child.id());
      } catch (ForkdClientException e) {
        left.add(child.id());
      }
    }
    report.notKilled = left;
  }
}
