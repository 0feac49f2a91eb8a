package io.forkd.linux;

import io.forkd.linux.Cgroups.Controller;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/** How one version of cgroups names and does things. */
enum CgroupDialect {
  V1 {
    @Override
    void limit(CgroupDirs group, Cgroups.Limits limits) {
      limits.memoryBytes().ifPresent(bytes -> limitMemory(group, Long.toString(bytes)));
      limits
          .cpuQuotaPercent()
          .ifPresent(
              percent -> {
                set(group, Controller.CPU, "cpu.cfs_period_us", Integer.toString(PERIOD_USEC));
                set(group, Controller.CPU, "cpu.cfs_quota_us", Long.toString(quotaUsec(percent)));
              });
    }

    private void limitMemory(CgroupDirs group, String bytes) {
      set(group, Controller.MEMORY, "memory.limit_in_bytes", bytes);
      // Memory and swap together: no swap on top of the limit.
      set(group, Controller.MEMORY, "memory.memsw.limit_in_bytes", bytes);
    }

    @Override
    Cgroups.Stats stats(CgroupDirs group) {
      return new Cgroups.Stats(
          group.file(Controller.MEMORY, "memory.usage_in_bytes").flatMap(CgroupFile::number),
          group
              .file(Controller.CPUACCT, "cpuacct.usage")
              .flatMap(CgroupFile::number)
              .map(Duration::ofNanos),
          group
              .file(Controller.MEMORY, "memory.oom_control")
              .flatMap(file -> CgroupFile.number(file, "oom_kill")));
    }

    @Override
    void freeze(CgroupDirs group, boolean frozen) {
      set(group, Controller.FREEZER, "freezer.state", frozen ? "FROZEN" : "THAWED");
    }

    @Override
    boolean killAtOnce(CgroupDirs group) {
      return false;
    }
  },

  V2 {
    @Override
    void limit(CgroupDirs group, Cgroups.Limits limits) {
      limits
          .memoryBytes()
          .ifPresent(
              bytes -> {
                set(group, Controller.MEMORY, "memory.max", Long.toString(bytes));
                set(group, Controller.MEMORY, "memory.swap.max", "0");
                set(group, Controller.MEMORY, "memory.oom.group", "1");
              });
      limits
          .cpuQuotaPercent()
          .ifPresent(
              percent ->
                  set(group, Controller.CPU, "cpu.max", quotaUsec(percent) + " " + PERIOD_USEC));
    }

    @Override
    Cgroups.Stats stats(CgroupDirs group) {
      return new Cgroups.Stats(
          group.file(Controller.MEMORY, "memory.current").flatMap(CgroupFile::number),
          group
              .file(Controller.CPUACCT, "cpu.stat")
              .flatMap(file -> CgroupFile.number(file, "usage_usec"))
              .map(usec -> Duration.ofNanos(usec * 1000)),
          group
              .file(Controller.MEMORY, "memory.events")
              .flatMap(file -> CgroupFile.number(file, "oom_kill")));
    }

    @Override
    void freeze(CgroupDirs group, boolean frozen) {
      set(group, Controller.FREEZER, "cgroup.freeze", frozen ? "1" : "0");
    }

    @Override
    boolean killAtOnce(CgroupDirs group) {
      return set(group, Controller.FREEZER, "cgroup.kill", "1");
    }
  };

  private static final int PERIOD_USEC = 100_000;

  /** Sets memory and processor limits; those of controllers the group lacks are left out. */
  abstract void limit(CgroupDirs group, Cgroups.Limits limits);

  abstract Cgroups.Stats stats(CgroupDirs group);

  /** Stops or continues every member, where the kernel can. */
  abstract void freeze(CgroupDirs group, boolean frozen);

  /** Kills every member in one step; false when the kernel cannot. */
  abstract boolean killAtOnce(CgroupDirs group);

  void limitPids(CgroupDirs group, Optional<Integer> most) {
    most.ifPresent(count -> set(group, Controller.PIDS, "pids.max", Integer.toString(count)));
  }

  private static boolean set(CgroupDirs group, Controller controller, String name, String value) {
    Optional<Path> file = group.file(controller, name);
    file.ifPresent(path -> CgroupFile.write(path, value));
    return file.isPresent();
  }

  private static long quotaUsec(int percent) {
    return (long) percent * PERIOD_USEC / 100;
  }
}
