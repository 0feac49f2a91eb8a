package io.forkd.bench;

import io.forkd.base.ErrorCode;
import io.forkd.base.ForkdException;
import io.forkd.client.BranchMode;
import io.forkd.client.SnapshotInfo;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** A sandbox with so much changed memory that is branched many times; closing it ends it. */
final class PauseSource implements AutoCloseable {
  private static final double MIB = 1 << 20;

  private record Sample(SnapshotInfo told, double pauseMs, double callMs) {}

  private final BranchLab lab;
  private final BranchMode mode;
  private final int dirtyMib;
  private final Children forked;
  private final GuestMemory.Fit memory;
  private final List<Sample> samples = new ArrayList<>();
  private double writtenMib;
  private double writingMs;

  private PauseSource(
      BranchLab lab, BranchMode mode, int dirtyMib, Children forked, GuestMemory.Fit memory) {
    this.lab = lab;
    this.mode = mode;
    this.dirtyMib = dirtyMib;
    this.forked = forked;
    this.memory = memory;
  }

  /** Forks a child of the snapshot and has it write. */
  static PauseSource make(BranchLab lab, BranchMode mode, int dirtyMib) {
    Children forked = lab.source();
    try {
      String id = forked.all().getFirst().id();
      GuestMemory.Fit memory = GuestMemory.fill(lab.client(), id, dirtyMib);
      return new PauseSource(lab, mode, dirtyMib, forked, memory);
    } catch (RuntimeException e) {
      forked.close();
      throw e;
    }
  }

  /** Takes one branch while the guest writes and removes it; nothing when there was no room. */
  void branchOnce() {
    if (memory.block().isEmpty()) {
      return;
    }
    int rate = dirtyMib > 0 ? lab.options().writerMibS() : 0;
    if (rate == 0) {
      samples.add(take());
      return;
    }
    double before = memory.require().write(rate);
    Stopwatch watch = new Stopwatch();
    lab.settle().accept(GuestMemory.FULL_SWING);
    samples.add(take());
    double written = memory.require().rest() - before;
    // A guest that should write and does not would flatter the numbers.
    if (written <= 0) {
      throw new ForkdException(
          ErrorCode.GUEST_FAILED, "The guest did not write while it was branched.");
    }
    writtenMib += written;
    writingMs += watch.millis();
  }

  private Sample take() {
    Stopwatch watch = new Stopwatch();
    try (Branches.Branch branch =
        lab.branches().take(forked.all().getFirst().id(), Optional.of(mode))) {
      double callMs = watch.millis();
      requireAsAsked(branch.snapshot());
      return new Sample(branch.snapshot(), branch.pauseMs(), callMs);
    }
  }

  /** A branch of another kind, or without pages that were written, would flatter the numbers. */
  private void requireAsAsked(SnapshotInfo branch) {
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

  PauseCell result() {
    if (memory.block().isEmpty()) {
      return PauseCell.missing(mode, dirtyMib, memory.whyNot());
    }
    return new PauseCell(
        mode,
        dirtyMib,
        Samples.of(samples.stream().map(Sample::pauseMs).toList()),
        Samples.of(samples.stream().flatMap(it -> it.told().diffMs().stream()).toList()),
        Samples.of(
            samples.stream()
                .flatMap(it -> it.told().diffLogicalBytes().stream())
                .map(bytes -> Stopwatch.rounded(bytes / MIB))
                .toList()),
        Samples.of(samples.stream().map(Sample::callMs).toList()),
        Ratios.of(writtenMib * 1000, writingMs).filter(rate -> rate > 0).map(Stopwatch::rounded),
        Optional.empty());
  }

  @Override
  public void close() {
    forked.close();
  }
}
