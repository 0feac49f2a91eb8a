package io.forkd.cli;

import io.forkd.client.BranchRequest;
import io.forkd.client.ForkdClient;
import io.forkd.client.SnapshotInfo;
import java.util.ArrayList;
import java.util.List;

/** Takes branches of sandboxes and says what came of them. */
final class Branches {
  private Branches() {}

  /** Takes one, reports it and returns the exit code. */
  static int take(ForkdCommand command, String id, BranchRequest request) {
    SnapshotInfo branch;
    try (ForkdClient client = command.daemon();
        Steps steps = new Steps(command.terminal())) {
      steps.begin("branch", "Branching " + id);
      branch = client.branch(id, request);
    }
    return report(command.terminal(), command.json, branch);
  }

  /** Reports one that was taken and returns the exit code. */
  static int report(Terminal terminal, boolean json, SnapshotInfo branch) {
    if (json) {
      terminal.json(branch.json());
    } else {
      terminal.out().println(sentence(terminal, branch) + next(branch));
      branch.warning().ifPresent(w -> terminal.err().println(terminal.yellow("warning: ") + w));
    }
    return failed(branch) ? ExitCode.FAILED : ExitCode.OK;
  }

  /** Which branch it is and how it was taken. */
  static String sentence(Terminal terminal, SnapshotInfo branch) {
    return "Branch %s of %s: %s."
        .formatted(
            terminal.bold(branch.tag()), branch.branchedFrom().orElse("a sandbox"), taken(branch));
  }

  /** How a branch was taken, as far as the daemon said. */
  static String taken(SnapshotInfo branch) {
    List<String> facts = new ArrayList<>();
    branch.mode().ifPresent(facts::add);
    branch.pauseMs().ifPresent(pause -> facts.add("paused " + Units.millis(pause)));
    branch.diffLogicalBytes().ifPresent(delta -> facts.add(Units.bytes(delta) + " changed"));
    branch.parentTag().ifPresent(parent -> facts.add("based on " + parent));
    return String.join(", ", facts);
  }

  private static String next(SnapshotInfo branch) {
    if (failed(branch)) {
      return " It could not be kept. Next: `forkd daemon logs`, then branch again.";
    }
    String fork = "forkd fork --tag " + branch.tag();
    return branch.status().equals("writing")
        ? " The disk is still being written. Next: %s, or forkd snapshot-info %s until it is ready."
            .formatted(fork, branch.tag())
        : " Next: " + fork;
  }

  private static boolean failed(SnapshotInfo branch) {
    return branch.status().equals("failed");
  }
}
