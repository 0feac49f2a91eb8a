package io.forkd.linux;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * What /proc/PID/stat tells about a process.
 *
 * @param state the kernel's letter: R running, S sleeping, D in disk wait, T stopped, Z zombie …
 * @param cpu user and system time used so far
 * @param startTicks clock ticks from boot to its start
 */
public record ProcStat(
    long pid,
    String name,
    char state,
    long parent,
    long session,
    int threads,
    Duration cpu,
    long startTicks) {
  private static final long TICKS_PER_SECOND = ProcessCalls.sysconf(ProcessCalls.SC_CLK_TCK);

  /** Empty when there is no such process. */
  public static Optional<ProcStat> of(long pid) {
    return ProcFile.read(pid, "stat").map(ProcStat::parse);
  }

  /** The name may hold spaces and parentheses; the last parenthesis ends it. */
  static ProcStat parse(String line) {
    int open = line.indexOf('(');
    int close = line.lastIndexOf(')');
    String[] rest = line.substring(close + 2).strip().split(" ");
    return new ProcStat(
        Long.parseLong(line.substring(0, open - 1)),
        line.substring(open + 1, close),
        rest[0].charAt(0),
        Long.parseLong(rest[1]),
        Long.parseLong(rest[3]),
        Integer.parseInt(rest[17]),
        Duration.ofMillis(
            (Long.parseLong(rest[11]) + Long.parseLong(rest[12])) * 1000 / TICKS_PER_SECOND),
        Long.parseLong(rest[19]));
  }

  /** CPU time of all threads that still run, in nanoseconds; {@link #cpu} has only clock ticks. */
  public static long cpuNanos(long pid) {
    try (Stream<Path> tasks = Files.list(Path.of("/proc", Long.toString(pid), "task"))) {
      return tasks
          .flatMap(task -> ProcFile.read(task.resolve("schedstat")).stream())
          .mapToLong(line -> Long.parseLong(line.strip().split(" ")[0]))
          .sum();
    } catch (IOException e) {
      return 0;
    }
  }

  /** Whether it has not ended: a zombie only waits to be collected. */
  public boolean running() {
    return state != 'Z' && state != 'X';
  }
}
