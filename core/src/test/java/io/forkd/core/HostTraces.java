package io.forkd.core;

import io.forkd.base.Sha256;
import io.forkd.linux.Cgroups;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/**
 * Everything sandboxes leave on a host while they live, counted. Equal before and after means
 * nothing was left behind.
 */
record HostTraces(
    List<String> vmmProcesses,
    List<String> workplaces,
    List<String> cgroups,
    long mounts,
    int networkNamespaces,
    int networkDevices,
    List<String> temporaryFiles,
    long descriptors) {

  static HostTraces of(VmLab lab) {
    lab.settle();
    Path run = lab.locations.run();
    // Other daemons on this host have networks too, under other names.
    String ours = Sha256.hex(run.toString()).substring(0, 8);
    awaitWires(ours);
    return new HostTraces(
        StrayProcesses.of(run.resolve("sb")).stream().map(Object::toString).toList(),
        names(run.resolve("sb")),
        cgroups(run),
        mounts(ours),
        namespaces(ours),
        wires(ours),
        names(Path.of("/tmp")).stream()
            .filter(name -> name.contains("forkd") && !name.contains("bench"))
            .toList(),
        names(Path.of("/proc/self/fd")).size());
  }

  /** The kernel takes a network's wire away a moment after its namespace is gone. */
  private static void awaitWires(String ours) {
    long deadline = System.nanoTime() + Duration.ofSeconds(30).toNanos();
    while (wires(ours) != namespaces(ours) && System.nanoTime() < deadline) {
      LockSupport.parkNanos(Duration.ofMillis(50).toNanos());
    }
  }

  private static int namespaces(String ours) {
    return ours(Path.of("/run/netns"), "forkd-" + ours);
  }

  private static int wires(String ours) {
    return ours(Path.of("/sys/class/net"), "fk" + ours.substring(0, 6));
  }

  private static List<String> cgroups(Path run) {
    return switch (Cgroups.open(
        new io.forkd.base.Locations(run, run).groupName(), run.resolve("cgroup"))) {
      case Cgroups.Opening.Ready(Cgroups groups) -> groups.list();
      case Cgroups.Opening.Unavailable unavailable -> List.of();
    };
  }

  private static List<String> names(Path folder) {
    if (!Files.isDirectory(folder)) {
      return List.of();
    }
    try (Stream<Path> entries = Files.list(folder)) {
      return entries.map(entry -> entry.getFileName().toString()).sorted().toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static int ours(Path folder, String prefix) {
    return (int) names(folder).stream().filter(name -> name.startsWith(prefix)).count();
  }

  private static long mounts(String ours) {
    try (Stream<String> lines = Files.lines(Path.of("/proc/self/mounts"))) {
      return lines
          .filter(line -> !line.contains("/netns/forkd-") || line.contains("/netns/forkd-" + ours))
          .count();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
