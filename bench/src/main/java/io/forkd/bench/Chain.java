package io.forkd.bench;

import java.util.ArrayList;
import java.util.List;

/**
 * A sandbox, a child of its branch, a child of that child's branch and so on; closing it ends all
 * of them, the youngest first.
 */
final class Chain implements AutoCloseable {
  /** What every sandbox has written since the branch it comes from. */
  static final int DIRTY_MIB = 10;

  private final Children root;
  private final List<Branches.Branch> branches = new ArrayList<>();
  private final List<String> sandboxes = new ArrayList<>();

  private Chain(Children root) {
    this.root = root;
    sandboxes.add(root.all().getFirst().id());
  }

  /**
   * Each sandbox writes the same memory anew, so that every delta of the chain is as large as the
   * others and all of them merged are no larger than one: what differs is the depth alone.
   */
  static Chain make(BranchLab lab, int depth) {
    Chain chain = new Chain(lab.source());
    try {
      GuestMemory memory = GuestMemory.fill(lab.client(), chain.source(0), DIRTY_MIB).require();
      for (int level = 1; level <= depth; level++) {
        String child = chain.grow(lab.branches().fork(chain.source(level - 1), 1));
        memory.in(child).rewrite(level + 1);
      }
      return chain;
    } catch (RuntimeException e) {
      chain.close();
      throw e;
    }
  }

  private String grow(Branches.Branch branch) {
    branches.add(branch);
    sandboxes.add(branch.children().getFirst().id());
    return sandboxes.getLast();
  }

  /** The sandbox with so many branches between it and the snapshot. */
  String source(int depth) {
    return sandboxes.get(depth);
  }

  @Override
  public void close() {
    branches.reversed().forEach(Branches.Branch::close);
    root.close();
  }
}
