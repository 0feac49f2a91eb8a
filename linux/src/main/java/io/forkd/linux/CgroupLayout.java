package io.forkd.linux;

import io.forkd.linux.Cgroups.Controller;
import io.forkd.linux.MountTable.Mount;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Which cgroups this machine has and which are our own.
 *
 * @param v1 our own group in each v1 hierarchy that has a controller forkd uses
 * @param unified our own group in the v2 hierarchy
 * @param unifiedRoot where the v2 hierarchy is mounted
 */
record CgroupLayout(
    Cgroups.Version version,
    Map<Controller, Path> v1,
    Optional<Path> unified,
    Optional<Path> unifiedRoot) {
  static CgroupLayout detect() {
    return of(MountTable.read(), ProcFile.read(Path.of("/proc/self/cgroup")).orElse(""));
  }

  static CgroupLayout of(MountTable mounts, String membership) {
    Map<Controller, Path> v1 = new EnumMap<>(Controller.class);
    for (Controller controller : Controller.values()) {
      for (Mount mount : mounts.ofType("cgroup")) {
        if (mount.superOptions().contains(controller.v1Name())) {
          own(membership, controller.v1Name())
              .map(path -> inMount(mount, path))
              .ifPresent(path -> v1.put(controller, path));
        }
      }
    }
    Optional<Mount> v2 = mounts.ofType("cgroup2").stream().findFirst();
    Optional<Path> unified =
        v2.flatMap(mount -> own(membership, "").map(path -> inMount(mount, path)));
    return new CgroupLayout(
        version(v1.containsKey(Controller.MEMORY), unified.isPresent()),
        v1,
        unified,
        v2.map(Mount::point));
  }

  Set<Controller> available() {
    if (version != Cgroups.Version.V2) {
      return v1.keySet();
    }
    Set<String> names =
        unifiedRoot
            .map(root -> CgroupFile.words(root.resolve("cgroup.controllers")))
            .orElse(Set.of());
    return Arrays.stream(Controller.values())
        .filter(each -> !each.limits() || names.contains(each.kernelName()))
        .collect(Collectors.toCollection(() -> EnumSet.noneOf(Controller.class)));
  }

  /** Whether there is a group of that name in one of our own groups; with v2, also above it. */
  boolean hasGroup(String name) {
    return v1.values().stream().anyMatch(own -> Files.isDirectory(own.resolve(name)))
        || unified.flatMap(own -> CgroupV2Parent.existing(root(), own, name)).isPresent();
  }

  private Path root() {
    return unifiedRoot.orElseThrow();
  }

  private static Cgroups.Version version(boolean memoryInV1, boolean unified) {
    if (memoryInV1) {
      return unified ? Cgroups.Version.HYBRID : Cgroups.Version.V1;
    }
    return unified ? Cgroups.Version.V2 : Cgroups.Version.NONE;
  }

  /** Our group in the hierarchy of a controller; the unified one has an empty controller list. */
  private static Optional<String> own(String membership, String controller) {
    return membership
        .lines()
        .map(line -> line.split(":", 3))
        .filter(fields -> List.of(fields[1].split(",")).contains(controller))
        .map(fields -> fields[2])
        .findFirst();
  }

  /** In a container the mount may show only a part of the hierarchy the path is told from. */
  private static Path inMount(Mount mount, String path) {
    String root = mount.root();
    boolean below = !root.equals("/") && (path + "/").startsWith(root + "/");
    String relative = below ? path.substring(root.length()) : path;
    return Arrays.stream(relative.split("/"))
        .filter(part -> !part.isEmpty() && !part.equals(".."))
        .reduce(mount.point(), Path::resolve, Path::resolve);
  }
}
