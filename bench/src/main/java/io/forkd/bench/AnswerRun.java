package io.forkd.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;

/** Branches sandboxes, forks children of the branch and has each answer. */
final class AnswerRun {
  private final BranchLab lab;

  AnswerRun(BranchLab lab) {
    this.lab = lab;
  }

  /**
   * One child at a time, from sandboxes of several depths in turn: what else happens on the machine
   * meets all of them.
   */
  List<Answered> byDepth() {
    return measure(lab.options().depths(), 1);
  }

  /** Several children at once, from a child of the snapshot. */
  Answered fanOut(int children) {
    return measure(List.of(0), children).getFirst();
  }

  private List<Answered> measure(List<Integer> depths, int children) {
    try (Chain chain = Chain.make(lab, depths.getLast())) {
      List<Series> all =
          depths.stream().map(depth -> new Series(depth, new ArrayList<>())).toList();
      for (Series series : all) {
        once(chain.source(series.depth()), children); // the first of a source is not counted
      }
      lab.settle().accept(Settling.PAUSE);
      for (int i = 0; i < lab.options().repeat(); i++) {
        for (Series series : all) {
          series.times().add(once(chain.source(series.depth()), children));
        }
      }
      return all.stream().map(series -> series.result(children)).toList();
    }
  }

  private Times once(String source, int children) {
    Stopwatch watch = new Stopwatch();
    try (Branches.Branch branch = lab.branches().fork(source, children)) {
      double callMs = watch.millis();
      Parallel.map(branch.children(), children, child -> Workload.ask(lab.client(), child));
      double wallMs = watch.millis();
      return new Times(wallMs, callMs, branch.pauseMs(), branch.snapshot().chainDepth());
    }
  }

  private record Times(double wallMs, double callMs, double pauseMs, int chainDepth) {}

  private record Series(int depth, List<Times> times) {
    Answered result(int children) {
      return new Answered(
          depth,
          times.getLast().chainDepth(),
          children,
          samples(Times::wallMs),
          samples(Times::callMs),
          samples(Times::pauseMs));
    }

    private Samples samples(ToDoubleFunction<Times> which) {
      return Samples.of(times.stream().mapToDouble(which).boxed().toList());
    }
  }
}
