package io.forkd.linux;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * How fast the time-stamp counter of an x86_64 processor runs.
 *
 * @param source where the number comes from: all are exact but cpuinfo
 */
public record TscFrequency(long kilohertz, Source source) {
  /** Where the kernel says it, most exact first. */
  public enum Source {
    PERF,
    MEASURED,
    KERNEL_LOG,
    CPUINFO
  }

  static final int ATTR_SIZE = 64;
  static final int CAPABILITIES_OFFSET = 40;
  static final int SHIFT_OFFSET = 50;
  static final int MULT_OFFSET = 52;
  private static final int TYPE_SOFTWARE = 1;
  private static final long COUNT_SW_DUMMY = 9;
  private static final long FLAG_FD_CLOEXEC = 8;
  private static final long CAP_USER_TIME = 1 << 3;
  private static final Pattern DETECTED =
      Pattern.compile("tsc: (?:Detected|Refined TSC clocksource calibration:) ([0-9.]+) MHz");
  private static final Pattern MEGAHERTZ = Pattern.compile("cpu MHz\\s*: ([0-9.]+)");

  /** Empty on other architectures and when nothing tells it. */
  public static Optional<TscFrequency> read() {
    if (Arch.host() != Arch.X86_64) {
      return Optional.empty();
    }
    return fromPerf()
        .or(() -> TscReader.measureKilohertz().map(khz -> new TscFrequency(khz, Source.MEASURED)))
        .or(
            () ->
                CommandOutput.of("dmesg")
                    .filter(CommandOutput::success)
                    .flatMap(out -> last(DETECTED, out.text(), Source.KERNEL_LOG)))
        .or(
            () ->
                ProcFile.read(Path.of("/proc/cpuinfo"))
                    .flatMap(text -> last(MEGAHERTZ, text, Source.CPUINFO)));
  }

  /** The factors with which user space may turn the counter into nanoseconds itself. */
  private static Optional<TscFrequency> fromPerf() {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment attr = arena.allocate(ATTR_SIZE, Long.BYTES);
      attr.set(JAVA_INT, 0, TYPE_SOFTWARE);
      attr.set(JAVA_INT, 4, ATTR_SIZE);
      attr.set(JAVA_LONG, 8, COUNT_SW_DUMMY);
      // SAFETY: the attribute says its own size; this process, any processor, no group.
      long fd =
          ProcessCalls.trySyscall(Arch.host().perfEventOpen, attr, 0, -1, -1, FLAG_FD_CLOEXEC);
      if (fd < 0) {
        return Optional.empty();
      }
      try (Fd event = Fd.owning((int) fd);
          Mapping page = Mapping.ofDevice(event, ProcessCalls.sysconf(ProcessCalls.SC_PAGESIZE))) {
        return fromPage(page.segment());
      } catch (LinuxException e) {
        return Optional.empty();
      }
    }
  }

  private static Optional<TscFrequency> fromPage(MemorySegment page) {
    int shift = Short.toUnsignedInt(page.get(JAVA_SHORT, SHIFT_OFFSET));
    long mult = Integer.toUnsignedLong(page.get(JAVA_INT, MULT_OFFSET));
    boolean usable = (page.get(JAVA_LONG, CAPABILITIES_OFFSET) & CAP_USER_TIME) != 0;
    if (!usable || mult == 0) {
      return Optional.empty();
    }
    double kilohertz = Math.scalb(1e6, shift) / mult;
    return Optional.of(new TscFrequency(Math.round(kilohertz), Source.PERF));
  }

  static Optional<TscFrequency> last(Pattern pattern, String text, Source source) {
    return pattern
        .matcher(text)
        .results()
        .reduce((_, later) -> later)
        .map(match -> Math.round(Double.parseDouble(match.group(1)) * 1000))
        .map(kilohertz -> new TscFrequency(kilohertz, source));
  }
}
