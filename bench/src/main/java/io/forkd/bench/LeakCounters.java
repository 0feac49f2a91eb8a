package io.forkd.bench;

import io.forkd.client.DaemonStatus;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Stream;

/** How much there is of everything a daemon could forget to give back. */
record LeakCounters(
    int vmProcesses,
    int mounts,
    int cgroups,
    int runEntries,
    int daemonDescriptors,
    int daemonThreads,
    long daemonRssKib) {

  static LeakCounters of(DaemonStatus daemon) {
    Path run = Path.of(daemon.run());
    Path proc = Path.of("/proc", Long.toString(daemon.pid()));
    return new LeakCounters(
        VmProcesses.under(run).size(),
        (int) text(proc.resolve("mountinfo")).lines().count(),
        ControlGroupLeftovers.childrenOf(run.getFileName().toString()).size(),
        entries(run, Integer.MAX_VALUE),
        entries(proc.resolve("fd"), 1),
        (int) status(proc, "Threads"),
        status(proc, "VmRSS"));
  }

  /** Whether nothing that can be counted exactly is more than it was. */
  boolean clean(LeakCounters before) {
    return vmProcesses <= before.vmProcesses
        && mounts <= before.mounts
        && cgroups <= before.cgroups
        && runEntries <= before.runEntries;
  }

  /** By name, in the order people read them. */
  Map<String, Long> byName() {
    Map<String, Long> counts = new LinkedHashMap<>();
    counts.put("vm_processes", (long) vmProcesses);
    counts.put("mounts", (long) mounts);
    counts.put("cgroups", (long) cgroups);
    counts.put("run_entries", (long) runEntries);
    counts.put("daemon_descriptors", (long) daemonDescriptors);
    counts.put("daemon_threads", (long) daemonThreads);
    counts.put("daemon_rss_kib", daemonRssKib);
    return counts;
  }

  private static long status(Path proc, String name) {
    return text(proc.resolve("status"))
        .lines()
        .filter(line -> line.startsWith(name + ":"))
        .map(line -> line.replaceAll("[^0-9]", ""))
        .map(Long::parseLong)
        .findFirst()
        .orElse(0L);
  }

  private static int entries(Path folder, int depth) {
    try (Stream<Path> found = Files.walk(folder, depth)) {
      return (int) found.count() - 1;
    } catch (IOException | UncheckedIOException e) {
      return 0; // something went away while it was counted
    }
  }

  private static String text(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      return "";
    }
  }
}
