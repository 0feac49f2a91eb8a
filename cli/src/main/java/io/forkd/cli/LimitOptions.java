package io.forkd.cli;

import java.util.Optional;
import picocli.CommandLine.Option;

/** The limits of a sandbox, wherever they are set. */
final class LimitOptions {
  @Option(
      names = "--cpus",
      paramLabel = "N",
      description = "Processors one may use, such as 2 or 0.5.")
  private Optional<Double> cpus = Optional.empty();

  @Option(
      names = {"--memory", "--memory-limit-mib"},
      paramLabel = "SIZE",
      converter = SizeConverter.OfMemory.class,
      description = "The most memory one may take: 512 (MiB), 512M or 2G.")
  private Optional<Long> memory = Optional.empty();

  @Option(
      names = "--pids",
      paramLabel = "N",
      description = "The most threads one may have on the host.")
  private Optional<Integer> pids = Optional.empty();

  @Option(
      names = "--io",
      paramLabel = "SIZE",
      converter = SizeConverter.class,
      description = "What one may read and write a second, each: 10M.")
  private Optional<Long> io = Optional.empty();

  Optional<Double> cpus() {
    return cpus;
  }

  Optional<Integer> memoryMib() {
    // What is too much for a number is too much for the daemon, too, which says so.
    return memory.map(bytes -> (int) Math.min(Integer.MAX_VALUE, bytes >> 20));
  }

  Optional<Integer> pids() {
    return pids;
  }

  Optional<Long> ioBytesPerSec() {
    return io;
  }
}
