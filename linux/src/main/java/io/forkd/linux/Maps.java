package io.forkd.linux;

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

  /** The one writable mapping of a file from its beginning with this size: guest memory. */
  public Optional<MemoryArea> memory(String partOfName, long size) {
    return ofFile(partOfName).stream()
        .filter(area -> area.size() == size && area.fileOffset() == 0 && area.writable())
        .findFirst();
  }
}
