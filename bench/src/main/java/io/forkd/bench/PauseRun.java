package io.forkd.bench;

import io.forkd.base.ErrorCode;
import io.forkd.base.ForkdException;
import io.forkd.client.BranchMode;
import io.forkd.client.SnapshotInfo;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Branches a sandbox again and again while its guest writes, and notes how long it paused. */
final class PauseRun {
  private static final double MIB = 1 << 20;

  private final BranchLab lab;

  PauseRun(BranchLab lab) {
    this.lab = lab;
  }

  /** Every branch is gone again before the next is taken. */
  PauseCell measure(BranchMode mode, int dirtyMib) {
    try (Children forked = lab.source()) {
      String source = forked.all().getFirst().id();
      GuestMemory.Fit fit = GuestMemory.fill(lab.client(), source, dirtyMib);
      if (fit.memory().isEmpty()) {
        return PauseCell.missing(mode, dirtyMib, fit.whyNot());
      }
      GuestMemory memory = fit.require();
      memory.keepWriting(lab.options().writerMibS());
      lab.settle().run();
      double before = memory.writtenMib();
      Stopwatch watch = new Stopwatch();
      List<Sample> samples = new ArrayList<>();
      for (int i = 0; i < lab.options().repeat(); i++) {
        try (Sample sample = take(source, Optional.of(mode))) {
          requireAsAsked(sample.info(), mode, dirtyMib);
          samples.add(sample);
        }
      }
      double rate = (memory.writtenMib() - before) * 1000 / watch.millis();
      return cell(mode, dirtyMib, samples, writerRate(memory, rate));
    }
  }

  /** A guest that should write and does not would flatter the numbers. */
  private Optional<Double> writerRate(GuestMemory memory, double mibPerSecond) {
    if (!memory.keepsWriting()) {
      return Optional.empty();
    }
    if (mibPerSecond <= 0) {
      throw new ForkdException(
          ErrorCode.GUEST_FAILED, "The guest stopped writing while it was branched.");
    }
    return Optional.of(Stopwatch.rounded(mibPerSecond));
  }

  /** Branches one sandbox n times in the best mode; the branches stay until the end. */
  Consecutive consecutive(int n) {
    List<Sample> samples = new ArrayList<>();
    try (Children forked = lab.source()) {
      String source = forked.all().getFirst().id();
      GuestMemory.fill(lab.client(), source, Chain.DIRTY_MIB)
          .require()
          .keepWriting(lab.options().writerMibS());
      lab.settle().run();
      for (int i = 0; i < n; i++) {
        samples.add(take(source, Optional.empty()));
      }
    } finally {
      samples.reversed().forEach(Sample::close);
    }
    return new Consecutive(
        samples.getFirst().info().mode().orElse("?"),
        Chain.DIRTY_MIB,
        Samples.of(samples.stream().map(Sample::pauseMs).toList()));
  }

  private record Sample(Branches.Branch branch, double callMs) implements AutoCloseable {
    SnapshotInfo info() {
      return branch.snapshot();
    }

    double pauseMs() {
      return branch.pauseMs();
    }

    @Override
    public void close() {
      branch.close();
    }
  }

  private Sample take(String source, Optional<BranchMode> mode) {
    Stopwatch watch = new Stopwatch();
    Branches.Branch branch = lab.branches().take(source, mode);
    return new Sample(branch, watch.millis());
  }

  /** A branch of another kind, or without pages that were written, would flatter the numbers. */
  private static void requireAsAsked(SnapshotInfo branch, BranchMode mode, int dirtyMib) {
    String used = branch.mode().orElse("none");
    if (!used.equals(mode.toString())) {
      throw new ForkdException(
          ErrorCode.HOST_FAILED,
          "A %s branch was asked for and the daemon took a %s one. Next: `forkd doctor` says what the host can do."
              .formatted(mode, used));
    }
    if (branch.diffLogicalBytes().filter(bytes -> bytes < dirtyMib * MIB).isPresent()) {
      throw new ForkdException(
          ErrorCode.INTERNAL,
          "The delta of %s has %d bytes, and the guest had written %d MiB."
              .formatted(branch.tag(), branch.diffLogicalBytes().orElse(0L), dirtyMib));
    }
  }

  private static PauseCell cell(
      BranchMode mode, int dirtyMib, List<Sample> samples, Optional<Double> writerMibS) {
    List<SnapshotInfo> told = samples.stream().map(Sample::info).toList();
    return new PauseCell(
        mode,
        dirtyMib,
        Samples.of(samples.stream().map(Sample::pauseMs).toList()),
        Samples.of(told.stream().flatMap(it -> it.diffMs().stream()).toList()),
        Samples.of(
            told.stream()
                .flatMap(it -> it.diffLogicalBytes().stream())
                .map(bytes -> Stopwatch.rounded(bytes / MIB))
                .toList()),
        Samples.of(samples.stream().map(Sample::callMs).toList()),
        writerMibS,
        Optional.empty());
  }
}
