package io.forkd.bench;

import io.forkd.linux.ProcStat;
import io.forkd.linux.Smaps;
import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * What the kernel tells about a VMM process.
 *
 * @param cpuMs CPU time it has used so far
 * @param anonymousKib memory of its own: smaps {@code Anonymous} of all mappings
 * @param guestRamKib the part of it in the guest's RAM: pages copied because they were written
 */
record ProcessReading(long pid, double cpuMs, double anonymousKib, double guestRamKib) {
  private static final double KIB = 1024;
  private static final String TEMPLATE = "/memfd:forkd-";

  /** Empty when the process is gone. */
  static Optional<ProcessReading> of(long pid, long guestRamBytes) {
    double cpu = cpuMillis(pid);
    return Smaps.of(pid).map(smaps -> of(pid, cpu, smaps, guestRamBytes));
  }

  /** A template that is no memfd is known by its size. */
  static ProcessReading of(long pid, double cpuMs, Smaps smaps, long guestRamBytes) {
    boolean named = smaps.regions().stream().anyMatch(region -> region.name().startsWith(TEMPLATE));
    long ram =
        named
            ? smaps.usedByFile(TEMPLATE).anonymous()
            : smaps.usedBySize(guestRamBytes).anonymous();
    return new ProcessReading(pid, cpuMs, smaps.total().anonymous() / KIB, ram / KIB);
  }

  /**
   * CPU time of all living threads of a process, in milliseconds, exact to less than one. Where the
   * kernel keeps no such account, to a clock tick.
   */
  static double cpuMillis(long pid) {
    long nanos = 0;
    try (DirectoryStream<Path> threads =
        Files.newDirectoryStream(Path.of("/proc", Long.toString(pid), "task"))) {
      for (Path thread : threads) {
        nanos += nanos(thread);
      }
    } catch (IOException | DirectoryIteratorException e) {
      return 0;
    }
    return nanos > 0
        ? nanos / 1e6
        : ProcStat.of(pid).map(stat -> (double) stat.cpu().toMillis()).orElse(0.0);
  }

  private static long nanos(Path thread) {
    try {
      return Long.parseLong(Files.readString(thread.resolve("schedstat")).strip().split(" ")[0]);
    } catch (IOException | NumberFormatException e) {
      return 0; // ended just now, or no such account
    }
  }
}
