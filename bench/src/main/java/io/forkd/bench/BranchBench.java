package io.forkd.bench;

import io.forkd.base.ForkdException;
import io.forkd.client.BranchMode;
import io.forkd.client.ForkdClient;
import io.forkd.client.ForkdClientException;
import io.forkd.client.SnapshotInfo;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** Measures what a branch costs its source, and how soon children of it answer. */
final class BranchBench {
  static final int CONSECUTIVE = 20;
  static final int SERIES = 5;
  static final int FAN_OUT = 5;

  private final ForkdClient client;
  private final Narrator narrator;
  private final Consumer<Duration> settle;
  private final List<String> failures = new ArrayList<>();

  /**
   * @param settle lets time pass, so that the end of one thing is not in another's measure
   */
  BranchBench(ForkdClient client, Narrator narrator, Consumer<Duration> settle) {
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
      AnswerRun answers = new AnswerRun(lab);
      double first = rehearse(lab);
      List<PauseCell> cells = cells(lab);
      narrator.begin("Forking from sandboxes at depths " + options.depths());
      Optional<List<Answered>> answered = attempt("depths", answers::byDepth);
      narrator.begin("Branching %d sandboxes %d times each".formatted(SERIES, CONSECUTIVE));
      Optional<Consecutive> consecutive =
          attempt(
              "consecutive branches", () -> new ConsecutiveRun(lab).measure(SERIES, CONSECUTIVE));
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

  private List<PauseCell> cells(BranchLab lab) {
    return lab.options().modes().stream().flatMap(mode -> cells(lab, mode).stream()).toList();
  }

  /** Sizes take turns, so that what else happens on the machine meets all of them. */
  private List<PauseCell> cells(BranchLab lab, BranchMode mode) {
    narrator.begin("Making sandboxes with %s MiB changed".formatted(lab.options().dirtyMib()));
    Map<Integer, PauseSource> sources = new TreeMap<>();
    try {
      for (int mib : lab.options().dirtyMib()) {
        attempt(name(mode, mib), () -> PauseSource.make(lab, mode, mib))
            .ifPresent(source -> sources.put(mib, source));
      }
      lab.settle().accept(Settling.PAUSE);
      for (int round = 1; round <= lab.options().repeat(); round++) {
        narrator.begin(
            "Taking %s branches, round %d of %d".formatted(mode, round, lab.options().repeat()));
        sources.entrySet().removeIf(it -> failed(name(mode, it.getKey()), it.getValue()));
      }
      return lab.options().dirtyMib().stream()
          .map(
              mib ->
                  Optional.ofNullable(sources.get(mib))
                      .map(PauseSource::result)
                      .orElseGet(() -> PauseCell.missing(mode, mib, "failed, see below")))
          .toList();
    } finally {
      sources.values().forEach(PauseSource::close);
    }
  }

  private boolean failed(String name, PauseSource source) {
    boolean failed =
        attempt(
                name,
                () -> {
                  source.branchOnce();
                  return true;
                })
            .isEmpty();
    if (failed) {
      source.close();
    }
    return failed;
  }

  private static String name(BranchMode mode, int mib) {
    return "%s branches with %d MiB changed".formatted(mode, mib);
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
