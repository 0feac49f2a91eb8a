package io.forkd.core;

import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/** What differs between two subjects, a and b. */
public record Difference(List<FileChange> files, Pages pages, Processes processes) {
  public Difference {
    files = List.copyOf(files);
  }

  /** What became of a path on the way from a to b. */
  public enum Kind {
    ADDED,
    CHANGED,
    REMOVED
  }

  /**
   * One path that differs.
   *
   * @param type {@code file}, {@code directory}, {@code symlink} and so on, in b or else in a
   * @param sizeA empty when it is not in a
   * @param what differs, such as {@code content}, {@code mode}, {@code owner}, {@code type}
   * @param linesAdded of a text file
   * @param unified the unified diff of a text file, when asked for
   */
  public record FileChange(
      String path,
      Kind kind,
      String type,
      OptionalLong sizeA,
      OptionalLong sizeB,
      List<String> what,
      int linesAdded,
      int linesRemoved,
      Optional<String> unified) {
    public FileChange {
      what = List.copyOf(what);
    }
  }

  /**
   * Memory in numbers.
   *
   * @param compared pages that were looked at because either side changed them
   * @param differing those whose bytes differ
   */
  public record Pages(long total, long compared, long differing, int pageBytes) {}

  /** Processes in numbers, and those only one side has (by pid and name). */
  public record Processes(int inA, int inB, List<String> onlyA, List<String> onlyB) {
    public Processes {
      onlyA = List.copyOf(onlyA);
      onlyB = List.copyOf(onlyB);
    }
  }
}
