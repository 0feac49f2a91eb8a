package io.forkd.core;

import io.forkd.linux.Cgroups;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
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
    return new HostTraces(
        StrayProcesses.of(run.resolve("sb")).stream().map(Object::toString).toList(),
        names(run.resolve("sb")),
        cgroups(run),
        lines(Path.of("/proc/self/mounts")),
        names(Path.of("/run/netns")).size(),
        names(Path.of("/sys/class/net")).size(),
        names(Path.of("/tmp")).stream()
            .filter(name -> name.contains("forkd") && !name.contains("bench"))
            .toList(),
        names(Path.of("/proc/self/fd")).size());
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

  private static long lines(Path file) {
    try (Stream<String> lines = Files.lines(file)) {
      return lines.count();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
