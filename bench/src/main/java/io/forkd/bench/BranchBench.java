package io.forkd.bench;

import io.forkd.base.ForkdException;
import io.forkd.client.BranchMode;
import io.forkd.client.ForkdClient;
import io.forkd.client.ForkdClientException;
import io.forkd.client.SnapshotInfo;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/** Measures what a branch costs its source, and how soon children of it answer. */
final class BranchBench {
  static final int CONSECUTIVE = 20;
  static final int FAN_OUT = 5;

  private final ForkdClient client;
  private final Narrator narrator;
  private final Runnable settle;
  private final List<String> failures = new ArrayList<>();

  /**
   * @param settle waits until the end of one thing is no longer in another's measure
   */
  BranchBench(ForkdClient client, Narrator narrator, Runnable settle) {
    this.client = client;
    this.narrator = narrator;
    this.settle = settle;
  }

  BranchReport run(BranchOptions options) {
    SnapshotInfo snapshot = Daemons.snapshot(client, options.tag());
    // The machine the report describes must be the one that is measured.
    Daemons.localStatus(client);
    Machine machine = Machine.read(snapshot);
    try (Undo undo = new Undo(narrator::warn)) {
      // Until the end: a pool that refills would take CPU time from whoever is measured.
      new PoolRun(client, options.tag(), narrator).resize(0, undo);
      BranchLab lab = new BranchLab(client, options, new Branches(client, undo), undo, settle);
      PauseRun pauses = new PauseRun(lab);
      AnswerRun answers = new AnswerRun(lab);
      double first = rehearse(lab);
      List<PauseCell> cells = cells(options, pauses);
      narrator.begin("Forking from sandboxes at depths " + options.depths());
      Optional<List<Answered>> answered = attempt("depths", answers::byDepth);
      narrator.begin("Branching one sandbox %d times".formatted(CONSECUTIVE));
      Optional<Consecutive> consecutive =
          attempt("consecutive branches", () -> pauses.consecutive(CONSECUTIVE));
      narrator.begin("Forking %d children of a running sandbox".formatted(FAN_OUT));
      Optional<Answered> fanOut = attempt("fan-out", () -> answers.fanOut(FAN_OUT));
      return new BranchReport(
          machine,
          options,
          first,
          cells,
          answered.orElse(List.of()),
          consecutive,
          fanOut,
          failures);
    }
  }

  /** Leads the whole way, so that neither this program nor the daemon is cold later. */
  private double rehearse(BranchLab lab) {
    narrator.begin("Branching once to warm up");
    try (Children forked = lab.source()) {
      String source = forked.all().getFirst().id();
      Stopwatch watch = new Stopwatch();
      double first;
      try (Branches.Branch branch = lab.branches().fork(source, 1)) {
        Workload.ask(client, branch.children().getFirst());
        first = watch.millis();
      }
      for (BranchMode mode : lab.options().modes()) {
        attempt("warming up " + mode, () -> lab.branches().take(source, Optional.of(mode)))
            .ifPresent(Branches.Branch::close);
      }
      return first;
    }
  }

  private List<PauseCell> cells(BranchOptions options, PauseRun pauses) {
    List<PauseCell> cells = new ArrayList<>();
    for (int mib : options.dirtyMib()) {
      for (BranchMode mode : options.modes()) {
        String name = "%s branches with %d MiB changed".formatted(mode, mib);
        narrator.begin("Taking %d %s".formatted(options.repeat(), name));
        cells.add(
            attempt(name, () -> pauses.measure(mode, mib))
                .orElseGet(() -> PauseCell.missing(mode, mib, "failed, see below")));
      }
    }
    return cells;
  }

  /** What fails is told in the report, and the rest is measured all the same. */
  private <T> Optional<T> attempt(String what, Supplier<T> measurement) {
    try {
      return Optional.of(measurement.get());
    } catch (ForkdException | ForkdClientException e) {
      String failure = "%s: %s".formatted(what, e.getMessage());
      narrator.warn(failure);
      failures.add(failure);
      return Optional.empty();
    }
  }
}
