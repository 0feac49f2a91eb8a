package io.forkd.bench;

import io.forkd.client.SnapshotInfo;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Branches one sandbox again and again in the best mode, keeping the branches until the end. */
final class ConsecutiveRun {
  private final BranchLab lab;

  ConsecutiveRun(BranchLab lab) {
    this.lab = lab;
  }

  Consecutive measure(int n) {
    List<Branches.Branch> taken = new ArrayList<>();
    try (Children forked = lab.source()) {
      String source = forked.all().getFirst().id();
      GuestMemory memory = GuestMemory.fill(lab.client(), source, Chain.DIRTY_MIB).require();
      if (lab.options().writerMibS() > 0) {
        memory.write(lab.options().writerMibS());
      }
      lab.settle().accept(Settling.PAUSE);
      for (int i = 0; i < n; i++) {
        taken.add(lab.branches().take(source, Optional.empty()));
      }
    } finally {
      taken.reversed().forEach(Branches.Branch::close);
    }
    SnapshotInfo first = taken.getFirst().snapshot();
    return new Consecutive(
        first.mode().orElse("?"),
        Chain.DIRTY_MIB,
        Samples.of(taken.stream().map(Branches.Branch::pauseMs).toList()));
  }
}
