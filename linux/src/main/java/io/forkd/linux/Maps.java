package io.forkd.linux;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The mapped ranges of a process, in order of their addresses. */
public record Maps(List<MemoryArea> areas) {
  private static final Pattern LINE =
      Pattern.compile("([0-9a-f]+)-([0-9a-f]+) (\\S{4}) ([0-9a-f]+) \\S+ \\d+ *(.*)");

  public Maps {
    areas = List.copyOf(areas);
  }

  /** Empty when there is no such process. */
  public static Optional<Maps> of(long pid) {
    return ProcFile.read(pid, "maps").map(Maps::parse);
  }

  static Maps parse(String text) {
    return new Maps(
        text.lines().map(LINE::matcher).filter(Matcher::matches).map(Maps::area).toList());
  }

  private static MemoryArea area(Matcher line) {
    long start = Long.parseUnsignedLong(line.group(1), 16);
    long end = Long.parseUnsignedLong(line.group(2), 16);
    return new MemoryArea(
        start, end - start, line.group(5), line.group(3), Long.parseLong(line.group(4), 16));
  }

  /** The mappings of a file, by a part of its path or memfd name. */
  public List<MemoryArea> ofFile(String partOfName) {
    return areas.stream().filter(area -> area.name().contains(partOfName)).toList();
  }

  /**
   * Guest memory: neighbouring writable mappings of such files that begin with the beginning of a
   * file and together have exactly this size. It is one mapping when nothing was mapped over it.
   *
   * @return empty when there is no such run, or several that nothing tells apart
   */
  public Optional<MemoryArea> span(String partOfName, long size) {
    List<MemoryArea> whole = new ArrayList<>();
    List<MemoryArea> pieced = new ArrayList<>();
    for (int first = 0; first < areas.size(); first++) {
      int end = runEnd(first, partOfName, size);
      if (end > first) {
        List<MemoryArea> run = areas.subList(first, end);
        (everyPartAtItsOwnOffset(run) ? whole : pieced).add(joined(run, size));
      }
    }
    List<MemoryArea> candidates = whole.isEmpty() ? pieced : whole;
    return candidates.size() == 1 ? Optional.of(candidates.getFirst()) : Optional.empty();
  }

  /** One past the last mapping of the run of this size that begins here, or -1. */
  private int runEnd(int first, String partOfName, long size) {
    long start = areas.get(first).start();
    long reached = start;
    if (areas.get(first).fileOffset() != 0) {
      return -1;
    }
    for (int i = first; i < areas.size() && reached - start < size; i++) {
      MemoryArea area = areas.get(i);
      if (area.start() != reached || !area.writable() || !area.name().contains(partOfName)) {
        return -1;
      }
      reached = area.end();
      if (reached - start == size) {
        return i + 1;
      }
    }
    return -1;
  }

  /** True of guest memory with layers, whose pages lie at their own guest offsets. */
  private static boolean everyPartAtItsOwnOffset(List<MemoryArea> run) {
    long start = run.getFirst().start();
    return run.stream().allMatch(area -> area.fileOffset() == area.start() - start);
  }

  private static MemoryArea joined(List<MemoryArea> run, long size) {
    MemoryArea first = run.getFirst();
    return new MemoryArea(first.start(), size, first.name(), first.permissions(), 0);
  }
}
