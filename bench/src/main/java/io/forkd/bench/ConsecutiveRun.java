package io.forkd.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Branches a sandbox again and again in the best mode, keeping the branches until the end. */
final class ConsecutiveRun {
  private final BranchLab lab;
  private final List<Samples> pauses = new ArrayList<>();
  private String mode = "none";

  ConsecutiveRun(BranchLab lab) {
    this.lab = lab;
  }

  /** Takes so many branches of a sandbox, and of another, until the series are so many. */
  Consecutive measure(int series, int branches) {
    for (int i = 0; i < series; i++) {
      pauses.add(series(branches));
    }
    return new Consecutive(mode, Chain.DIRTY_MIB, pauses);
  }

  private Samples series(int branches) {
    List<Branches.Branch> taken = new ArrayList<>();
    try (Children forked = lab.source()) {
      String source = forked.all().getFirst().id();
      GuestMemory memory = GuestMemory.fill(lab.client(), source, Chain.DIRTY_MIB).require();
      if (lab.options().writerMibS() > 0) {
        memory.write(lab.options().writerMibS());
      }
      lab.settle().accept(GuestMemory.FULL_SWING);
      for (int i = 0; i < branches; i++) {
        taken.add(lab.branches().take(source, Optional.empty()));
      }
    } finally {
      taken.reversed().forEach(Branches.Branch::close);
    }
    mode = taken.getFirst().snapshot().mode().orElse(mode);
    return Samples.of(taken.stream().map(Branches.Branch::pauseMs).toList());
  }
}
