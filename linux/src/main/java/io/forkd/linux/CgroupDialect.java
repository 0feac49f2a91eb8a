package io.forkd.linux;

import io.forkd.linux.Cgroups.Bandwidth;
import io.forkd.linux.Cgroups.Controller;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * How one version of cgroups names and does things. An empty limit lifts the one there is; limits
 * of controllers the group lacks are left out.
 */
enum CgroupDialect {
  V1 {
    @Override
    void limitMemory(CgroupDirs group, Optional<Long> most) {
      String bytes = Long.toString(most.orElse(-1L));
      Optional<Path> withSwap = group.file(Controller.MEMORY, "memory.memsw.limit_in_bytes");
      long together = withSwap.flatMap(CgroupFile::number).orElse(Long.MAX_VALUE);
      // Memory and swap together: no swap on top of the limit. It may never be the lower of both.
      boolean raised = most.isEmpty() || most.get() > together;
      if (raised) {
        withSwap.ifPresent(file -> CgroupFile.write(file, bytes));
      }
      set(group, Controller.MEMORY, "memory.limit_in_bytes", bytes);
      if (!raised) {
        withSwap.ifPresent(file -> CgroupFile.write(file, bytes));
      }
    }

    @Override
    void limitCpus(CgroupDirs group, Optional<Double> most) {
      set(group, Controller.CPU, "cpu.cfs_period_us", Integer.toString(PERIOD_USEC));
      set(
          group,
          Controller.CPU,
          "cpu.cfs_quota_us",
          Long.toString(most.map(CgroupDialect::quotaUsec).orElse(-1L)));
    }

    @Override
    void limitIo(CgroupDirs group, Optional<Bandwidth> most) {
      for (String file : List.of(READ_BPS, WRITE_BPS)) {
        setIo(group, file, most, rate -> rate.map(String::valueOf).orElse("0"));
      }
    }

    @Override
    Cgroups.Stats stats(CgroupDirs group) {
      return new Cgroups.Stats(
          number(group, Controller.MEMORY, "memory.usage_in_bytes"),
          number(group, Controller.CPUACCT, "cpuacct.usage").map(Duration::ofNanos),
          number(group, Controller.MEMORY, "memory.oom_control", "oom_kill"),
          number(group, Controller.PIDS, "pids.current").map(Math::toIntExact),
          number(group, Controller.CPU, "cpu.stat", "throttled_time").map(Duration::ofNanos));
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
    void limitMemory(CgroupDirs group, Optional<Long> most) {
      most.ifPresent(bytes -> requireRoom(group, bytes));
      set(group, Controller.MEMORY, "memory.max", most.map(String::valueOf).orElse(NO_LIMIT));
      set(group, Controller.MEMORY, "memory.swap.max", most.isPresent() ? "0" : NO_LIMIT);
      set(group, Controller.MEMORY, "memory.oom.group", most.isPresent() ? "1" : "0");
    }

    // The kernel would kill members at once to make the limit true; v1 refuses it.
    private void requireRoom(CgroupDirs group, long bytes) {
      long used = number(group, Controller.MEMORY, "memory.current").orElse(0L);
      if (used <= bytes) {
        return;
      }
      long cache =
          number(group, Controller.MEMORY, "memory.stat", "inactive_file").orElse(0L)
              + number(group, Controller.MEMORY, "memory.stat", "active_file").orElse(0L);
      if (used - cache > bytes) {
        throw new LinuxException(
            "write", LinuxException.texts("memory.max", bytes), Errno.EBUSY.number());
      }
    }

    @Override
    void limitCpus(CgroupDirs group, Optional<Double> most) {
      String quota = most.map(share -> Long.toString(quotaUsec(share))).orElse(NO_LIMIT);
      set(group, Controller.CPU, "cpu.max", quota + " " + PERIOD_USEC);
    }

    @Override
    void limitIo(CgroupDirs group, Optional<Bandwidth> most) {
      setIo(
          group,
          "io.max",
          most,
          rate -> {
            String bytes = rate.map(String::valueOf).orElse(NO_LIMIT);
            return "rbps=%s wbps=%s".formatted(bytes, bytes);
          });
    }

    @Override
    Cgroups.Stats stats(CgroupDirs group) {
      return new Cgroups.Stats(
          number(group, Controller.MEMORY, "memory.current"),
          number(group, Controller.CPUACCT, "cpu.stat", "usage_usec").map(CgroupDialect::micros),
          number(group, Controller.MEMORY, "memory.events", "oom_kill"),
          number(group, Controller.PIDS, "pids.current").map(Math::toIntExact),
          number(group, Controller.CPU, "cpu.stat", "throttled_usec").map(CgroupDialect::micros));
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
  private static final int LEAST_QUOTA_USEC = 1000;
  private static final String NO_LIMIT = "max";
  private static final String READ_BPS = "blkio.throttle.read_bps_device";
  private static final String WRITE_BPS = "blkio.throttle.write_bps_device";

  abstract void limitMemory(CgroupDirs group, Optional<Long> most);

  abstract void limitCpus(CgroupDirs group, Optional<Double> most);

  abstract void limitIo(CgroupDirs group, Optional<Bandwidth> most);

  abstract Cgroups.Stats stats(CgroupDirs group);

  /** Stops or continues every member, where the kernel can. */
  abstract void freeze(CgroupDirs group, boolean frozen);

  /** Kills every member in one step; false when the kernel cannot. */
  abstract boolean killAtOnce(CgroupDirs group);

  void limitPids(CgroupDirs group, Optional<Integer> most) {
    set(group, Controller.PIDS, "pids.max", most.map(String::valueOf).orElse(NO_LIMIT));
  }

  /** Says what to write for a device, given its rate or nothing. */
  private interface Rate {
    String text(Optional<Long> bytesPerSecond);
  }

  /** The file lists the devices that have a limit; each line written changes one of them. */
  private static void setIo(CgroupDirs group, String name, Optional<Bandwidth> most, Rate rate) {
    Optional<Path> file = group.file(Controller.IO, name);
    if (file.isEmpty()) {
      return;
    }
    List<BlockDevice> lifted = new ArrayList<>(CgroupFile.devices(file.get()));
    most.ifPresent(limit -> lifted.removeAll(limit.devices()));
    for (BlockDevice device : lifted) {
      CgroupFile.write(file.get(), device + " " + rate.text(Optional.empty()));
    }
    for (BlockDevice device : most.map(Bandwidth::devices).orElse(List.of())) {
      CgroupFile.write(file.get(), device + " " + rate.text(most.map(Bandwidth::bytesPerSecond)));
    }
  }

  private static boolean set(CgroupDirs group, Controller controller, String name, String value) {
    Optional<Path> file = group.file(controller, name);
    file.ifPresent(path -> CgroupFile.write(path, value));
    return file.isPresent();
  }

  private static Optional<Long> number(CgroupDirs group, Controller controller, String name) {
    return group.file(controller, name).flatMap(CgroupFile::number);
  }

  private static Optional<Long> number(
      CgroupDirs group, Controller controller, String name, String key) {
    return group.file(controller, name).flatMap(file -> CgroupFile.number(file, key));
  }

  private static long quotaUsec(double cpus) {
    return Math.max(LEAST_QUOTA_USEC, Math.round(cpus * PERIOD_USEC));
  }

  private static Duration micros(long usec) {
    return Duration.ofNanos(usec * 1000);
  }
}
