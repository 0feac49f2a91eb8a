package io.forkd.bench;

import io.forkd.client.SnapshotInfo;
import io.forkd.linux.MemInfo;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/**
 * The facts without which numbers mean nothing.
 *
 * @param accel {@code kvm} or {@code tcg}: how guests run
 * @param loadBefore the load averages before anything was measured, as the kernel prints them
 * @param versions of the programs that took part, by name
 */
record Machine(
    Instant when,
    String arch,
    int cores,
    String cpu,
    String kernel,
    long memoryMib,
    String accel,
    String loadBefore,
    Map<String, String> versions) {
  Machine {
    versions = Map.copyOf(versions);
  }

  static Machine read(SnapshotInfo snapshot) {
    return new Machine(
        Instant.now(),
        snapshot.arch(),
        Runtime.getRuntime().availableProcessors(),
        cpu(text("/proc/cpuinfo")),
        text("/proc/sys/kernel/osrelease"),
        MemInfo.read().total() >> 20,
        usesKvm(snapshot) ? "kvm" : "tcg",
        load(),
        new TreeMap<>(Map.of("vmm", snapshot.vmm(), "machine", snapshot.machine())));
  }

  Machine with(String program, String version) {
    Map<String, String> more = new TreeMap<>(versions);
    more.put(program, version);
    return new Machine(when, arch, cores, cpu, kernel, memoryMib, accel, loadBefore, more);
  }

  /** What a person needs to know of it, in one line. */
  String line() {
    return "%s, %d cores (%s), Linux %s, guests by %s (%s), load before %s"
        .formatted(arch, cores, cpu, kernel, accel, versions.getOrDefault("vmm", "?"), loadBefore);
  }

  /** A snapshot's machine names its accelerator after a slash. */
  static boolean usesKvm(SnapshotInfo snapshot) {
    return List.of(snapshot.machine().split("/")).contains("kvm");
  }

  static String load() {
    String[] words = text("/proc/loadavg").split(" ");
    return words.length < 3 ? "unknown" : String.join(" ", words[0], words[1], words[2]);
  }

  /** The model's name; on ARM, which has none there, the part number. */
  static String cpu(String cpuinfo) {
    return cpuinfo
        .lines()
        .filter(
            line -> {
              String name = line.toLowerCase(Locale.ROOT);
              return name.startsWith("model name") || name.startsWith("cpu part");
            })
        .map(line -> line.replaceFirst("^[^:]*:\\s*", "").strip())
        .findFirst()
        .orElse("unknown");
  }

  private static String text(String file) {
    try {
      return Files.readString(Path.of(file)).strip();
    } catch (IOException e) {
      return "unknown";
    }
  }
}
