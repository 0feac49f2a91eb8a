package io.forkd.core;

import io.forkd.base.ForkdException;
import io.forkd.base.SandboxId;
import io.forkd.linux.Cgroup;
import io.forkd.linux.Cgroups;
import java.util.List;

/** Cells that are cgroups: {@code <own group>/<name of the run folder>/<sandbox id>}. */
final class CgroupConfinement implements Confinement {
  /** A VMM has a thread per virtual CPU and a few of its own. */
  private static final int MOST_THREADS = 512;

  private final Cgroups cgroups;

  CgroupConfinement(Cgroups cgroups) {
    this.cgroups = cgroups;
  }

  @Override
  public Cell of(SandboxId id) {
    return new GroupCell(id.value());
  }

  @Override
  public List<String> existing() {
    return cgroups.list();
  }

  @Override
  public void destroy(String name) {
    cgroups.find(name).ifPresent(Cgroup::destroy);
  }

  @Override
  public void close() {
    cgroups.removeIfEmpty();
  }

  private final class GroupCell implements Cell {
    private final String name;

    GroupCell(String name) {
      this.name = name;
    }

    @Override
    public String path() {
      return cgroups.path(name);
    }

    @Override
    public void make() {
      cgroups.create(name, Cgroups.Limits.NONE.withPidsMax(MOST_THREADS));
    }

    @Override
    public void add(long pid) {
      group().add(pid);
    }

    @Override
    public void limitMemoryMib(int mib) {
      if (cgroups.missing().contains(Cgroups.Controller.MEMORY)) {
        throw ForkdException.badRequest(
            "a memory limit cannot be kept on this host: its cgroups have no memory controller."
                + " Fork without one, or see `forkd doctor`.");
      }
      group().limit(Cgroups.Limits.NONE.withMemoryBytes((long) mib << 20));
    }

    @Override
    public void destroy() {
      CgroupConfinement.this.destroy(name);
    }

    private Cgroup group() {
      return cgroups
          .find(name)
          .orElseThrow(() -> new IllegalStateException("the cgroup of " + name + " is gone"));
    }
  }
}
