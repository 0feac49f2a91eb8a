package io.forkd.core;

import io.forkd.base.ForkdException;
import io.forkd.base.SandboxId;
import io.forkd.linux.Cgroup;
import io.forkd.linux.Cgroups;
import io.forkd.linux.Cgroups.Controller;
import io.forkd.linux.Disks;
import io.forkd.linux.Errno;
import io.forkd.linux.LinuxException;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Cells that are cgroups: {@code <own group>/<name of the run folder>/<sandbox id>}. All have the
 * same weight, so that those that want a processor get equal shares of it.
 */
final class CgroupConfinement implements Confinement {
  /** A VMM has a thread per virtual CPU and a few of its own. */
  static final int MOST_THREADS = 512;

  private static final Limits MADE_WITH =
      new Limits(Optional.empty(), Optional.empty(), Optional.of(MOST_THREADS), Optional.empty());

  private final Cgroups cgroups;
  private final Disks disks;

  /**
   * Uses the cgroups of a parent.
   *
   * @param disks what limits of bandwidth hold for
   */
  CgroupConfinement(Cgroups cgroups, Disks disks) {
    this.cgroups = cgroups;
    this.disks = disks;
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

  private Cgroups.Limits inKernelWords(Limits limits) {
    return new Cgroups.Limits(
        limits.memoryMib().map(mib -> (long) mib << 20),
        limits.cpus(),
        limits.pids(),
        limits.ioBytesPerSecond().map(rate -> new Cgroups.Bandwidth(rate, disks.devices())));
  }

  private void requireKept(Limits limits) {
    requireController(limits.memoryMib().isPresent(), Controller.MEMORY, "a memory limit");
    requireController(limits.cpus().isPresent(), Controller.CPU, "a limit of processors");
    requireController(limits.pids().isPresent(), Controller.PIDS, "a limit of threads");
    requireController(limits.ioBytesPerSecond().isPresent(), Controller.IO, "a limit of bandwidth");
    if (limits.ioBytesPerSecond().isPresent() && disks.devices().isEmpty()) {
      throw Confinement.cannotKeep(
          "a limit of bandwidth",
          "the data folder lies on %s, which is on no disk of its own"
              .formatted(disks.fileSystem()));
    }
  }

  private void requireController(boolean asked, Controller controller, String what) {
    if (asked && cgroups.missing().contains(controller)) {
      throw Confinement.cannotKeep(
          what, "its cgroups have no %s controller".formatted(cgroups.kernelName(controller)));
    }
  }

  private final class GroupCell implements Cell {
    private final String name;

    /** Null when another daemon made it. */
    private @Nullable Limits held;

    GroupCell(String name) {
      this.name = name;
    }

    @Override
    public String path() {
      return cgroups.path(name);
    }

    @Override
    public synchronized void make() {
      cgroups.create(name, inKernelWords(MADE_WITH));
      held = MADE_WITH;
    }

    @Override
    public void add(long pid) {
      group().add(pid);
    }

    @Override
    public synchronized void limit(Limits limits) {
      requireKept(limits);
      Limits wanted = limits.or(MADE_WITH);
      try {
        if (held == null) {
          group().limit(inKernelWords(wanted));
        } else {
          group().limit(inKernelWords(held), inKernelWords(wanted));
        }
        held = wanted;
      } catch (LinuxException e) {
        held = null; // some of it may be set
        throw e.errno() == Errno.EBUSY ? holdsMore(limits) : e;
      }
    }

    private ForkdException holdsMore(Limits limits) {
      return ForkdException.conflict(
          "%s cannot be limited to %d MiB: it holds %d MiB now. Use a higher limit, or free memory"
              + " inside it first.",
          name, limits.memoryMib().orElse(0), stats().memoryBytes().orElse(0L) >> 20);
    }

    @Override
    public Cgroups.Stats stats() {
      return cgroups.find(name).map(Cgroup::stats).orElse(Cgroups.Stats.NONE);
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
