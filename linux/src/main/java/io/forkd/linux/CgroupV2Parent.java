package io.forkd.linux;

import io.forkd.linux.Cgroups.Controller;
import io.forkd.linux.Cgroups.Opening;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * Finds or makes the v2 group under which forkd's groups go: where it is already, else inside our
 * own group, else beside it under the nearest ancestor that already hands the memory controller to
 * its children.
 *
 * <p>A service of systemd has it beside its own group, in its slice: systemd starts a service in
 * the service's group, and the kernel forbids that while the group hands controllers to children,
 * so that with sandboxes inside of it no daemon could be started again.
 *
 * <p>A group with members cannot hand controllers to children. When ours has only this process and
 * its descendants, they move into a leaf beside the new groups; nobody else's are ever moved.
 */
final class CgroupV2Parent {
  private static final String LEAF = "forkd-daemon";
  private static final String SERVICE = ".service";
  private static final String SLICE = ".slice";
  private static final Set<String> WANTED = Set.of("memory", "cpu", "pids", "io");

  private final String name;
  private final boolean root;
  private final List<String> reasons = new ArrayList<>();

  private CgroupV2Parent(String name, boolean root) {
    this.name = name;
    this.root = root;
  }

  static Opening open(Path hierarchy, Path own, String name, boolean root) {
    CgroupV2Parent search = new CgroupV2Parent(name, root);
    List<Path> upwards = upwards(hierarchy, own);
    Path start = upwards.getFirst();
    return existing(upwards, name)
        .or(() -> sliceOf(upwards).filter(search::handsOutOrCan))
        .or(() -> Optional.of(start).filter(search::handsOutOrCan))
        .or(() -> upwards.stream().skip(1).filter(search::handsOutAlready).findFirst())
        .map(search::make)
        .orElseGet(search::unavailable);
  }

  /** Our own group and all above it. */
  private static List<Path> upwards(Path hierarchy, Path own) {
    List<Path> groups = new ArrayList<>();
    for (Path group = own;
        group != null && group.startsWith(hierarchy);
        group = group.getParent()) {
      if (!group.endsWith(LEAF)) {
        groups.add(group);
      }
    }
    return groups;
  }

  /** The group that has a child of that name, ours or the nearest above. */
  static Optional<Path> existing(Path hierarchy, Path own, String name) {
    return existing(upwards(hierarchy, own), name);
  }

  private static Optional<Path> existing(List<Path> upwards, String name) {
    return upwards.stream().filter(group -> Files.isDirectory(group.resolve(name))).findFirst();
  }

  private static Optional<Path> sliceOf(List<Path> upwards) {
    return upwards.size() > 1
            && upwards.getFirst().toString().endsWith(SERVICE)
            && upwards.get(1).toString().endsWith(SLICE)
        ? Optional.of(upwards.get(1))
        : Optional.empty();
  }

  private boolean handsOutAlready(Path group) {
    return handedOut(group).contains("memory") && writable(group);
  }

  private Opening unavailable() {
    return new Opening.Unavailable(
        "no cgroup found to create groups in: "
            + String.join("; ", reasons)
            + ". Run forkd as a systemd service with Delegate=yes, or as root");
  }

  private boolean handsOutOrCan(Path group) {
    if (!writable(group)) {
      return false;
    }
    Set<String> available = CgroupFile.words(group.resolve("cgroup.controllers"));
    if (!available.contains("memory")) {
      reasons.add("%s has no memory controller".formatted(group));
      return false;
    }
    Set<String> missing = new TreeSet<>(WANTED);
    missing.retainAll(available);
    missing.removeAll(handedOut(group));
    return missing.isEmpty() || handOut(group, missing);
  }

  private boolean handOut(Path group, Set<String> controllers) {
    try {
      enable(group, controllers);
      return true;
    } catch (LinuxException e) {
      if (e.errno() != Errno.EBUSY) {
        reasons.add(e.getMessage());
        return false;
      }
    }
    if (!root || !onlyOurs(group)) {
      reasons.add(
          "%s has members (%s), so it cannot hand controllers to children"
              .formatted(group, CgroupFile.processes(group)));
      return false;
    }
    try {
      moveIntoLeaf(group);
      enable(group, controllers);
      return true;
    } catch (LinuxException e) {
      reasons.add(e.getMessage());
      return false;
    }
  }

  private static void enable(Path group, Set<String> controllers) {
    CgroupFile.write(
        group.resolve("cgroup.subtree_control"),
        controllers.stream().map(each -> "+" + each).collect(Collectors.joining(" ")));
  }

  private static boolean onlyOurs(Path group) {
    Set<Long> ours =
        ProcessHandle.current().descendants().map(ProcessHandle::pid).collect(Collectors.toSet());
    ours.add(ProcessHandle.current().pid());
    return ours.containsAll(CgroupFile.processes(group));
  }

  private static void moveIntoLeaf(Path group) {
    Path leaf = group.resolve(LEAF);
    if (!Files.isDirectory(leaf)) {
      HostFiles.mkdir(leaf, 0755);
    }
    for (long pid : CgroupFile.processes(group)) {
      CgroupFile.write(leaf.resolve("cgroup.procs"), Long.toString(pid));
    }
  }

  private boolean writable(Path group) {
    boolean writable = Files.isWritable(group) && Files.isWritable(group.resolve("cgroup.procs"));
    if (!writable) {
      reasons.add("%s is not writable for us".formatted(group));
    }
    return writable;
  }

  private static Set<String> handedOut(Path group) {
    return CgroupFile.words(group.resolve("cgroup.subtree_control"));
  }

  private Opening make(Path above) {
    try {
      return new Opening.Ready(at(above.resolve(name)));
    } catch (LinuxException e) {
      return new Opening.Unavailable(
          "cannot create the group %s: %s".formatted(above.resolve(name), e.getMessage()));
    }
  }

  /** The groups under a folder, made when missing, with whatever controllers it can have. */
  static Cgroups at(Path parent) {
    if (!Files.isDirectory(parent)) {
      HostFiles.mkdir(parent, 0755);
    }
    Set<String> controllers = new TreeSet<>(WANTED);
    controllers.retainAll(CgroupFile.words(parent.resolve("cgroup.controllers")));
    if (!handedOut(parent).containsAll(controllers)) {
      enable(parent, controllers);
    }
    Map<Controller, Path> folders = new EnumMap<>(Controller.class);
    for (Controller controller : Controller.values()) {
      // Accounting of processor time and freezing are part of v2 itself.
      if (!controller.limits() || controllers.contains(controller.kernelName())) {
        folders.put(controller, parent);
      }
    }
    return new Cgroups(Cgroups.Version.V2, CgroupDialect.V2, CgroupDirs.of(folders));
  }
}
