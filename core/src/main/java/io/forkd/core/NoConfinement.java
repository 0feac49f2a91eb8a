package io.forkd.core;

import io.forkd.base.SandboxId;
import io.forkd.linux.Cgroups;
import java.util.List;

/** For hosts where no cgroup can be made: sandboxes run, limits are refused. */
final class NoConfinement implements Confinement {
  private final String reason;

  NoConfinement(String reason) {
    this.reason = reason;
  }

  @Override
  public Cell of(SandboxId id) {
    return new OpenCell();
  }

  @Override
  public List<String> existing() {
    return List.of();
  }

  @Override
  public void destroy(String name) {}

  @Override
  public void close() {}

  private final class OpenCell implements Cell {
    @Override
    public String path() {
      return "";
    }

    @Override
    public void make() {}

    @Override
    public void add(long pid) {}

    @Override
    public void limit(Limits limits) {
      if (!limits.equals(Limits.NONE)) {
        String what = limits.memoryMib().isPresent() ? "a memory limit" : "a limit";
        throw Confinement.cannotKeep(what, reason);
      }
    }

    @Override
    public Cgroups.Stats stats() {
      return Cgroups.Stats.NONE;
    }

    @Override
    public void destroy() {}
  }
}
