package io.forkd.linux;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** The mounts this process sees, oldest first. */
public record MountTable(List<Mount> mounts) {
  /**
   * One line of mountinfo.
   *
   * @param device the numbers of the file system's device, such as {@code 254:1}; {@code 0:…} when
   *     it has none of its own
   * @param root the folder of the file system that is visible at the mount point
   * @param superOptions options of the file system itself, such as a v1 cgroup's controllers
   */
  public record Mount(
      String device,
      Path point,
      String root,
      String type,
      String source,
      Set<String> options,
      Set<String> superOptions) {
    public Mount {
      options = Set.copyOf(options);
      superOptions = Set.copyOf(superOptions);
    }

    public boolean readOnly() {
      return options.contains("ro") || superOptions.contains("ro");
    }
  }

  public MountTable {
    mounts = List.copyOf(mounts);
  }

  public static MountTable read() {
    try {
      return parse(Files.readAllLines(Path.of("/proc/self/mountinfo")));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static MountTable parse(List<String> lines) {
    return new MountTable(lines.stream().map(MountTable::parseLine).toList());
  }

  private static Mount parseLine(String line) {
    String[] halves = line.split(" - ", 2);
    String[] before = halves[0].split(" ", -1);
    String[] after = halves[1].split(" ", -1);
    return new Mount(
        before[2],
        Path.of(unescape(before[4])),
        unescape(before[3]),
        after[0],
        unescape(after[1]),
        options(before[5]),
        options(after[2]));
  }

  private static Set<String> options(String joined) {
    return Set.copyOf(Arrays.asList(joined.split(",")));
  }

  /** The kernel writes space, tab, newline and backslash as three octal digits. */
  private static String unescape(String text) {
    StringBuilder result = new StringBuilder();
    for (int i = 0; i < text.length(); i++) {
      if (text.charAt(i) == '\\' && i + 3 < text.length()) {
        result.append((char) Integer.parseInt(text.substring(i + 1, i + 4), 8));
        i += 3;
      } else {
        result.append(text.charAt(i));
      }
    }
    return result.toString();
  }

  /** The mount a path lies on: the deepest mount point above it, the newest of several there. */
  public Optional<Mount> containing(Path path) {
    Path absolute = path.toAbsolutePath().normalize();
    // The sort is stable: of several mounts on one point the newest stays first.
    return mounts.reversed().stream()
        .filter(mount -> absolute.startsWith(mount.point()))
        .sorted(Comparator.comparingInt((Mount mount) -> mount.point().getNameCount()).reversed())
        .findFirst();
  }

  public List<Mount> ofType(String type) {
    return mounts.stream().filter(mount -> mount.type().equals(type)).toList();
  }
}
