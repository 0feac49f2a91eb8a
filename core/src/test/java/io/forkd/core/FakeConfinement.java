package io.forkd.core;

import io.forkd.base.SandboxId;
import io.forkd.linux.Cgroups;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Cells that only remember what was asked of them. */
final class FakeConfinement implements Confinement {
  final Set<String> cells = ConcurrentHashMap.newKeySet();
  final List<String> limits = new ArrayList<>();
  volatile long oomKills;
  volatile boolean refusesToMake;
  volatile boolean refusesToDestroy;

  @Override
  public void close() {}

  @Override
  public Cell of(SandboxId id) {
    return new FakeCell(id.value());
  }

  @Override
  public List<String> existing() {
    return cells.stream().sorted().toList();
  }

  @Override
  public void destroy(String name) {
    if (refusesToDestroy) {
      throw new IllegalStateException("the cell stays");
    }
    cells.remove(name);
  }

  private final class FakeCell implements Cell {
    private final String name;

    FakeCell(String name) {
      this.name = name;
    }

    @Override
    public String path() {
      return "/cells/" + name;
    }

    @Override
    public void make() {
      if (refusesToMake) {
        throw new IllegalStateException("no cell today");
      }
      cells.add(name);
    }

    @Override
    public void add(long pid) {}

    @Override
    public void limit(Limits wanted) {
      wanted.memoryMib().ifPresent(mib -> limits.add(name + " " + mib));
    }

    @Override
    public Cgroups.Stats stats() {
      return new Cgroups.Stats(
          Optional.empty(),
          Optional.empty(),
          Optional.of(oomKills),
          Optional.empty(),
          Optional.empty());
    }

    @Override
    public void destroy() {
      FakeConfinement.this.destroy(name);
    }
  }
}
