package io.forkd.linux;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * How much of what the kernel gives out is taken.
 *
 * @param memoryTotal bytes
 * @param memoryAvailable bytes that can be had without swapping
 * @param openFiles descriptors this process has
 * @param mostOpenFiles descriptors it may have
 * @param threads of all processes on this host
 * @param mostThreads there can be
 */
public record HostRoom(
    long memoryTotal,
    long memoryAvailable,
    long openFiles,
    long mostOpenFiles,
    long threads,
    long mostThreads) {
  private static final Path DESCRIPTORS = Path.of("/proc/self/fd");
  private static final Pattern OPEN_FILES = Pattern.compile("Max open files\\s+([0-9]+)");
  private static final Pattern TASKS = Pattern.compile(" [0-9]+/([0-9]+) ");

  public static HostRoom read() {
    MemInfo memory = MemInfo.read();
    return new HostRoom(
        memory.total(),
        memory.available(),
        descriptors(),
        found(OPEN_FILES, "/proc/self/limits", Long.MAX_VALUE),
        found(TASKS, "/proc/loadavg", 0),
        Math.min(number("/proc/sys/kernel/pid_max"), number("/proc/sys/kernel/threads-max")));
  }

  private static long descriptors() {
    try {
      // Since Linux 6.2 the folder's size is their number.
      long size = Files.size(DESCRIPTORS);
      if (size > 0) {
        return size;
      }
      try (Stream<Path> all = Files.list(DESCRIPTORS)) {
        return all.count();
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The first group of what a pattern finds; "unlimited" is not a number. */
  private static long found(Pattern pattern, String file, long otherwise) {
    Matcher matcher = pattern.matcher(ProcFile.read(Path.of(file)).orElse(""));
    return matcher.find() ? Long.parseLong(matcher.group(1)) : otherwise;
  }

  private static long number(String file) {
    return Probes.setting(file).map(Long::valueOf).orElse(Long.MAX_VALUE);
  }
}
