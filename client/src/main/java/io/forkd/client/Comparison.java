package io.forkd.client;

import java.util.List;
import java.util.Optional;

/**
 * What differs between two snapshots or sandboxes, a and b.
 *
 * @param json all the daemon said, fields unknown here included
 */
public record Comparison(
    String a, String b, List<FileChange> files, Pages pages, Processes processes, JsonObject json) {
  public Comparison {
    files = List.copyOf(files);
  }

  static Comparison from(JsonObject json) {
    return new Comparison(
        json.text("a"),
        json.text("b"),
        json.objects("files").stream().map(FileChange::from).toList(),
        Pages.from(json.requiredObject("pages")),
        Processes.from(json.requiredObject("processes")),
        json);
  }

  /**
   * One path that differs.
   *
   * @param change "added", "changed" or "removed" on the way from a to b
   * @param type {@code file}, {@code directory}, {@code symlink} and so on, in b or else in a
   * @param sizeA empty when it is not in a
   * @param what differs, such as {@code content}, {@code mode}, {@code owner}, {@code type}
   * @param linesAdded of a text file
   * @param unified the unified diff of a text file, when asked for
   */
  public record FileChange(
      String path,
      String change,
      String type,
      Optional<Long> sizeA,
      Optional<Long> sizeB,
      List<String> what,
      int linesAdded,
      int linesRemoved,
      Optional<String> unified) {
    public FileChange {
      what = List.copyOf(what);
    }

    static FileChange from(JsonObject json) {
      return new FileChange(
          json.text("path"),
          json.text("change"),
          json.text("type"),
          json.optionalNumber("size_a"),
          json.optionalNumber("size_b"),
          json.texts("what"),
          json.integer("lines_added"),
          json.integer("lines_removed"),
          json.optionalText("unified").filter(text -> !text.isEmpty()));
    }
  }

  /**
   * Memory in numbers.
   *
   * @param compared pages that were looked at because either side changed them
   * @param differing those whose bytes differ
   */
  public record Pages(long total, long compared, long differing, int pageBytes) {
    static Pages from(JsonObject json) {
      return new Pages(
          json.number("total"),
          json.number("compared"),
          json.number("differing"),
          json.integer("page_bytes"));
    }

    /** The differing pages in bytes. */
    public long differingBytes() {
      return differing * pageBytes;
    }
  }

  /** Processes in numbers, and those only one side has. */
  public record Processes(int inA, int inB, List<String> onlyA, List<String> onlyB) {
    public Processes {
      onlyA = List.copyOf(onlyA);
      onlyB = List.copyOf(onlyB);
    }

    static Processes from(JsonObject json) {
      return new Processes(
          json.integer("in_a"), json.integer("in_b"), json.texts("only_a"), json.texts("only_b"));
    }
  }
}
