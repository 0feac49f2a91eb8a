package io.forkd.cli;

import java.util.Optional;
import picocli.CommandLine.Option;

/** The limits of a sandbox, wherever they are set. */
final class LimitOptions {
  @Option(
      names = "--cpus",
      paramLabel = "N",
      converter = Limit.OfCpus.class,
      description = "Processors one may use, such as 2 or 0.5; none: the daemon's default.")
  private Optional<Limit<Double>> cpus = Optional.empty();

  @Option(
      names = {"--memory", "--memory-limit-mib"},
      paramLabel = "SIZE",
      converter = Limit.OfMemory.class,
      description = "The most memory one may take: 512 (MiB), 512M or 2G; none.")
  private Optional<Limit<Long>> memory = Optional.empty();

  @Option(
      names = "--pids",
      paramLabel = "N",
      converter = Limit.OfCount.class,
      description = "The most threads one may have on the host; none.")
  private Optional<Limit<Integer>> pids = Optional.empty();

  @Option(
      names = "--io",
      paramLabel = "SIZE",
      converter = Limit.OfBytes.class,
      description = "What one may read and write a second, each: 10M; none.")
  private Optional<Limit<Long>> io = Optional.empty();

  Optional<Limit<Double>> cpus() {
    return cpus;
  }

  Optional<Limit<Integer>> memoryMib() {
    // What is too much for a number is too much for the daemon, too, which says so.
    return memory.map(limit -> limit.in(bytes -> (int) Math.min(Integer.MAX_VALUE, bytes >> 20)));
  }

  Optional<Limit<Integer>> pids() {
    return pids;
  }

  Optional<Limit<Long>> ioBytesPerSec() {
    return io;
  }
}
