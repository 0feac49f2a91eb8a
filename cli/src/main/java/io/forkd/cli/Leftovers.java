package io.forkd.cli;

import io.forkd.base.Locations;
import io.forkd.base.SandboxId;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Finds what a dead daemon of one data folder left: VMM processes by the folder they work in,
 * cgroups by the run folder's name, sockets, work and staging folders. Only safe to remove while no
 * daemon answers.
 */
final class Leftovers {
  private static final int CGROUP_DEPTH = 6;

  private Leftovers() {}

  /** In the order they must be removed: processes before the cgroups and folders they use. */
  static List<Leftover> find(Locations locations) {
    List<Leftover> found = new ArrayList<>();
    Path sandboxes = locations.run().resolve("sb");
    found.addAll(processes(sandboxes));
    cgroups(locations.groupName()).forEach(found::add);
    list(sandboxes).forEach(folder -> found.add(new Leftover.Tree("sandbox", folder)));
    if (Files.exists(locations.socket())) {
      found.add(new Leftover.Tree("socket", locations.socket()));
    }
    if (Files.exists(locations.pidFile())) {
      found.add(new Leftover.Tree("pid file", locations.pidFile()));
    }
    list(locations.data().resolve("snapshots/.staging"))
        .forEach(folder -> found.add(new Leftover.Tree("staging", folder)));
    list(locations.data().resolve("images/work"))
        .forEach(folder -> found.add(new Leftover.Tree("staging", folder)));
    return found;
  }

  /** Whether a daemon has the data folder in use, though it may not answer. */
  static boolean daemonLives(Locations locations) {
    Path file = locations.data().resolve("daemon.lock");
    if (!Files.exists(file)) {
      return false;
    }
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE);
        FileLock lock = channel.tryLock()) {
      return lock == null;
    } catch (IOException | OverlappingFileLockException e) {
      return true;
    }
  }

  /** When a process started, in the kernel's ticks since boot. */
  static Optional<Long> startTime(long pid) {
    // The name in parentheses may hold anything, so fields are counted from its end.
    return Host.read("/proc/" + pid + "/stat")
        .map(stat -> stat.substring(stat.lastIndexOf(')') + 2).split(" ")[19])
        .map(Long::parseLong);
  }

  private static List<Leftover.Vmm> processes(Path sandboxes) {
    Path real = real(sandboxes);
    return list(Path.of("/proc")).stream()
        .filter(process -> lastName(process).matches("[0-9]+"))
        .flatMap(process -> vmm(process, real).stream())
        .toList();
  }

  /** The kernel tells where a process works without any link on the way. */
  private static Path real(Path folder) {
    try {
      return folder.toRealPath();
    } catch (IOException e) {
      return folder;
    }
  }

  private static Optional<Leftover.Vmm> vmm(Path process, Path sandboxes) {
    try {
      Path works = Files.readSymbolicLink(process.resolve("cwd"));
      if (!works.startsWith(sandboxes) || works.equals(sandboxes)) {
        return Optional.empty();
      }
      String id = sandboxes.relativize(works).getName(0).toString();
      long pid = Long.parseLong(lastName(process));
      return startTime(pid).map(start -> new Leftover.Vmm(id, pid, start));
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  private static List<Leftover> cgroups(String runName) {
    Path root = Path.of("/sys/fs/cgroup");
    if (!Files.isDirectory(root)) {
      return List.of();
    }
    try (Stream<Path> folders =
        Files.find(root, CGROUP_DEPTH, (path, attributes) -> attributes.isDirectory())) {
      return folders
          .filter(path -> lastName(path).equals(runName) && holdsOnlySandboxes(path))
          .<Leftover>map(Leftover.Cgroup::new)
          .toList();
    } catch (IOException | UncheckedIOException e) {
      return List.of();
    }
  }

  /** A run folder's name may be as plain as "run", so the groups in it must be ours too. */
  private static boolean holdsOnlySandboxes(Path group) {
    List<Path> inner = list(group).stream().filter(Files::isDirectory).toList();
    boolean ours = inner.stream().allMatch(path -> SandboxId.isValid(lastName(path)));
    return ours && (!inner.isEmpty() || lastName(group).startsWith("forkd-"));
  }

  private static String lastName(Path path) {
    return path.getName(path.getNameCount() - 1).toString();
  }

  private static List<Path> list(Path folder) {
    if (!Files.isDirectory(folder)) {
      return List.of();
    }
    try (Stream<Path> entries = Files.list(folder)) {
      return entries.sorted().toList();
    } catch (IOException e) {
      return List.of();
    }
  }
}
