package io.forkd.linux;

import java.nio.file.Path;
import java.util.Map;

/** The host's memory in bytes, from /proc/meminfo. */
public record MemInfo(
    long total,
    long free,
    long available,
    long swapTotal,
    long swapFree,
    long shared,
    long hugePagesTotal,
    long hugePagesFree,
    long hugePageSize) {
  public static MemInfo read() {
    return parse(ProcFile.read(Path.of("/proc/meminfo")).orElse(""));
  }

  static MemInfo parse(String text) {
    Map<String, Long> sizes = ProcFile.sizes(text.lines().toList());
    return new MemInfo(
        sizes.getOrDefault("MemTotal", 0L),
        sizes.getOrDefault("MemFree", 0L),
        sizes.getOrDefault("MemAvailable", 0L),
        sizes.getOrDefault("SwapTotal", 0L),
        sizes.getOrDefault("SwapFree", 0L),
        sizes.getOrDefault("Shmem", 0L),
        sizes.getOrDefault("HugePages_Total", 0L),
        sizes.getOrDefault("HugePages_Free", 0L),
        sizes.getOrDefault("Hugepagesize", 0L));
  }
}
