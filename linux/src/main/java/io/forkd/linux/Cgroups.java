package io.forkd.linux;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/** The control groups under one parent of ours, with version 1 and 2 looking the same. */
public final class Cgroups {
  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9_-]{0,99}");

  /** What the machine has. */
  public enum Version {
    NONE,
    V1,
    V2,
    /** v1 controllers beside an (almost) empty v2 hierarchy; used as v1. */
    HYBRID
  }

  /** The controllers forkd uses. */
  public enum Controller {
    MEMORY(true),
    CPU(true),
    PIDS(true),
    IO(true),
    CPUACCT(false),
    FREEZER(false);

    private final boolean limits;

    Controller(boolean limits) {
      this.limits = limits;
    }

    /** Whether it enforces one of {@link Limits}. */
    public boolean limits() {
      return limits;
    }

    /** Its name in version 2, and in version 1 unless it had another there. */
    String kernelName() {
      return name().toLowerCase(Locale.ROOT);
    }

    String v1Name() {
      return this == IO ? "blkio" : kernelName();
    }
  }

  /**
   * What the members of a group may use together; no limit where nothing is said. A group at its
   * memory limit does not swap.
   *
   * @param cpus processors, in parts of one
   */
  public record Limits(
      Optional<Long> memoryBytes,
      Optional<Double> cpus,
      Optional<Integer> pidsMax,
      Optional<Bandwidth> io) {
    public static final Limits NONE =
        new Limits(Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty());

    public Limits withMemoryBytes(long bytes) {
      return new Limits(Optional.of(bytes), cpus, pidsMax, io);
    }

    public Limits withCpus(double share) {
      return new Limits(memoryBytes, Optional.of(share), pidsMax, io);
    }

    public Limits withPidsMax(int most) {
      return new Limits(memoryBytes, cpus, Optional.of(most), io);
    }

    public Limits withIo(Bandwidth most) {
      return new Limits(memoryBytes, cpus, pidsMax, Optional.of(most));
    }
  }

  /**
   * How much may be read from and written to each of some disks.
   *
   * @param bytesPerSecond read, and as much written
   * @param devices whole disks: a partition is refused by the kernel
   */
  public record Bandwidth(long bytesPerSecond, List<BlockDevice> devices) {
    public Bandwidth {
      devices = List.copyOf(devices);
    }
  }

  /**
   * What a group has used; empty where its controller is missing.
   *
   * @param cpu processor time of all members ever
   * @param oomKills how often the kernel killed a member because the group was at its memory limit
   * @param pids threads it has now
   * @param throttled how long it was held back by its limit of processors
   */
  public record Stats(
      Optional<Long> memoryBytes,
      Optional<Duration> cpu,
      Optional<Long> oomKills,
      Optional<Integer> pids,
      Optional<Duration> throttled) {
    public static final Stats NONE =
        new Stats(
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty());
  }

  /** The answer to {@link #open(String)}. */
  public sealed interface Opening {
    /** Groups can be made. */
    record Ready(Cgroups cgroups) implements Opening {}

    /** No group can be made, and why. */
    record Unavailable(String reason) implements Opening {}
  }

  private final Version version;
  private final CgroupDialect dialect;
  private final CgroupDirs parent;

  Cgroups(Version version, CgroupDialect dialect, CgroupDirs parent) {
    this.version = version;
    this.dialect = dialect;
    this.parent = parent;
  }

  public static Version detect() {
    return CgroupLayout.detect().version();
  }

  /** The controllers this machine has; whether they can be used depends on our place in it. */
  public static Set<Controller> available() {
    return CgroupLayout.detect().available();
  }

  /** Opens the parent of that name inside our own group, making it when missing. */
  public static Opening open(String parentName) {
    return open(parentName, CgroupLayout.detect());
  }

  /**
   * Opens the parent where it was opened first, wherever this process has been started from since.
   *
   * @param memory a file that remembers which group was our own then; made when missing, and
   *     ignored when that group is gone
   */
  public static Opening open(String parentName, Path memory) {
    String membership = ProcFile.read(Path.of("/proc/self/cgroup")).orElse("");
    Optional<Opening> earlier =
        ProcFile.read(memory)
            .map(saved -> CgroupLayout.of(MountTable.read(), saved))
            .filter(layout -> layout.hasGroup(parentName))
            .map(layout -> open(parentName, layout));
    if (earlier.isPresent()) {
      return earlier.get();
    }
    Opening opening = open(parentName, CgroupLayout.of(MountTable.read(), membership));
    CgroupFile.remember(memory, membership);
    return opening;
  }

  private static Opening open(String parentName, CgroupLayout layout) {
    checkName(parentName);
    return switch (layout.version()) {
      case NONE -> new Opening.Unavailable("no cgroup file system is mounted");
      case V1, HYBRID -> openV1(layout, parentName);
      case V2 ->
          CgroupV2Parent.open(
              layout.unifiedRoot().orElseThrow(),
              layout.unified().orElseThrow(),
              parentName,
              Files.isWritable(Path.of("/proc/1/oom_score_adj")));
    };
  }

  private static Opening openV1(CgroupLayout layout, String parentName) {
    Map<Controller, Path> folders = new EnumMap<>(Controller.class);
    List<String> reasons = new ArrayList<>();
    layout
        .v1()
        .forEach(
            (controller, own) -> {
              Path folder = own.resolve(parentName);
              try {
                if (!Files.isDirectory(folder)) {
                  HostFiles.mkdir(folder, 0755);
                }
                folders.put(controller, folder);
              } catch (LinuxException e) {
                reasons.add(e.getMessage());
              }
            });
    return folders.isEmpty()
        ? new Opening.Unavailable("no v1 group can be made: " + String.join("; ", reasons))
        : new Opening.Ready(
            new Cgroups(layout.version(), CgroupDialect.V1, CgroupDirs.of(folders)));
  }

  public Version version() {
    return version;
  }

  /** The controllers this machine or our place in it lacks; limits that need them do not hold. */
  public Set<Controller> missing() {
    Set<Controller> missing = EnumSet.allOf(Controller.class);
    missing.removeAll(parent.byController().keySet());
    return missing;
  }

  /** What this machine calls a controller. */
  public String kernelName(Controller controller) {
    return dialect == CgroupDialect.V1 ? controller.v1Name() : controller.kernelName();
  }

  /** Makes a group; fails with EEXIST when the name is taken. */
  public Cgroup create(String name, Limits limits) {
    checkName(name);
    Cgroup group = new Cgroup(name, dialect, parent.child(name));
    List<Path> made = new ArrayList<>();
    try {
      for (Path folder : parent.child(name).all()) {
        HostFiles.mkdir(folder, 0755);
        made.add(folder);
      }
      group.limit(Limits.NONE, limits);
      return group;
    } catch (LinuxException e) {
      made.forEach(folder -> FileCalls.tryRmdir(folder.toString()));
      throw e;
    }
  }

  /** The group of that name, whoever made it. */
  public Optional<Cgroup> find(String name) {
    checkName(name);
    return parent.child(name).all().stream().anyMatch(Files::isDirectory)
        ? Optional.of(new Cgroup(name, dialect, parent.child(name)))
        : Optional.empty();
  }

  /** Where a group of that name is; with v1, its folder in one of the hierarchies. */
  public String path(String name) {
    checkName(name);
    return parent.child(name).all().getFirst().toString();
  }

  /** The names of all groups here, also of those an earlier forkd left. */
  public List<String> list() {
    return parent.all().stream()
        .flatMap(folder -> Cgroup.subgroups(folder).stream())
        .distinct()
        .sorted()
        .toList();
  }

  /** Removes the parent itself when no group is left in it. */
  public void removeIfEmpty() {
    if (list().isEmpty()) {
      destroyAll();
    }
  }

  /** Removes the parent itself, with every group and process in it. */
  public void destroyAll() {
    new Cgroup("", dialect, parent).destroy();
  }

  private static void checkName(String name) {
    if (!NAME.matcher(name).matches()) {
      throw new IllegalArgumentException(
          "'%s' is no name for a group: use letters, digits, _ and -".formatted(name));
    }
  }
}
