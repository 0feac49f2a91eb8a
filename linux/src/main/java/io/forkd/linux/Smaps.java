package io.forkd.linux;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The memory of a process, mapping by mapping. Costly to read for large processes. */
public record Smaps(List<Region> regions) {
  private static final Pattern HEADER =
      Pattern.compile("([0-9a-f]+)-([0-9a-f]+) ([-rwxsp]{4}) \\S+ \\S+ \\d+ *(.*)");

  /**
   * One mapping.
   *
   * @param name the file's path, {@code /memfd:name (deleted)}, {@code [heap]} or empty
   * @param copyOnWrite whether writes stay in the process (MAP_PRIVATE)
   */
  public record Region(String name, long size, boolean copyOnWrite, MemoryUse use) {}

  public Smaps {
    regions = List.copyOf(regions);
  }

  /** Empty when there is no such process. */
  public static Optional<Smaps> of(long pid) {
    return ProcFile.read(pid, "smaps").map(Smaps::parse);
  }

  /** The totals alone, which the kernel sums up itself. */
  public static Optional<MemoryUse> rollup(long pid) {
    return ProcFile.read(pid, "smaps_rollup")
        .map(text -> MemoryUse.of(ProcFile.sizes(text.lines().toList())));
  }

  static Smaps parse(String text) {
    List<Region> regions = new ArrayList<>();
    List<String> body = new ArrayList<>();
    // From the end, so that each header is met after all of its lines.
    for (String line : text.lines().toList().reversed()) {
      Matcher header = HEADER.matcher(line);
      if (header.matches()) {
        regions.add(region(header, body));
        body.clear();
      } else {
        body.add(line);
      }
    }
    return new Smaps(regions.reversed());
  }

  private static Region region(Matcher header, List<String> body) {
    long size =
        Long.parseUnsignedLong(header.group(2), 16) - Long.parseUnsignedLong(header.group(1), 16);
    return new Region(
        header.group(4), size, header.group(3).endsWith("p"), MemoryUse.of(ProcFile.sizes(body)));
  }

  public MemoryUse total() {
    return usedBy(region -> true);
  }

  /** What the mappings that match use together. */
  public MemoryUse usedBy(Predicate<Region> which) {
    return regions.stream().filter(which).map(Region::use).reduce(MemoryUse.NONE, MemoryUse::plus);
  }

  /** What the mappings of a file use, by a part of its path or memfd name. */
  public MemoryUse usedByFile(String partOfName) {
    return usedBy(region -> region.name().contains(partOfName));
  }

  /** What the mappings of exactly this size use: guest memory that has no name. */
  public MemoryUse usedBySize(long size) {
    return usedBy(region -> region.size() == size);
  }
}
