package io.forkd.core;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The lines by which one text differs from another. */
final class TextDiff {
  private static final int CONTEXT = 3;

  /**
   * Lines that stand in the place of others.
   *
   * @param fromA the first line of a that is replaced
   * @param toA the line of a after the last
   */
  private record Block(int fromA, int toA, int fromB, int toB) {}

  private final List<String> linesA;
  private final List<String> linesB;
  private final List<Block> blocks = new ArrayList<>();

  private TextDiff(List<String> linesA, List<String> linesB, TextEdits edits) {
    this.linesA = linesA;
    this.linesB = linesB;
    int atA = 0;
    int atB = 0;
    while (atA < linesA.size() || atB < linesB.size()) {
      int endA = edits.endOfRemoved(atA);
      int endB = edits.endOfAdded(atB);
      if (endA > atA || endB > atB) {
        blocks.add(new Block(atA, endA, atB, endB));
      }
      atA = endA + 1;
      atB = endB + 1;
    }
  }

  static TextDiff of(String a, String b) {
    List<String> linesA = lines(a);
    List<String> linesB = lines(b);
    Map<String, Integer> numbers = new HashMap<>();
    TextEdits edits = TextEdits.between(numbered(linesA, numbers), numbered(linesB, numbers));
    return new TextDiff(linesA, linesB, edits);
  }

  /** Lines with the newline that ends them, so that a last line without one is another line. */
  private static List<String> lines(String text) {
    List<String> lines = new ArrayList<>();
    for (int from = 0; from < text.length(); ) {
      int newline = text.indexOf('\n', from);
      int to = newline < 0 ? text.length() : newline + 1;
      lines.add(text.substring(from, to));
      from = to;
    }
    return lines;
  }

  private static int[] numbered(List<String> lines, Map<String, Integer> numbers) {
    return lines.stream()
        .mapToInt(line -> numbers.computeIfAbsent(line, _ -> numbers.size()))
        .toArray();
  }

  /** How many lines b has that a has not. */
  int added() {
    return blocks.stream().mapToInt(block -> block.toB - block.fromB).sum();
  }

  /** How many lines a has that b has not. */
  int removed() {
    return blocks.stream().mapToInt(block -> block.toA - block.fromA).sum();
  }

  /** The difference as `patch` reads it; empty when there is none. */
  String unified(String nameA, String nameB) {
    if (blocks.isEmpty()) {
      return "";
    }
    StringBuilder out = new StringBuilder();
    appendName(out, "--- ", nameA);
    appendName(out, "+++ ", nameB);
    int first = 0;
    for (int i = 1; i <= blocks.size(); i++) {
      boolean apart =
          i == blocks.size() || blocks.get(i).fromA - blocks.get(i - 1).toA > 2 * CONTEXT;
      if (apart) {
        appendHunk(out, blocks.subList(first, i));
        first = i;
      }
    }
    return out.toString();
  }

  /** A tab ends a name that a reader would otherwise end at its first blank. */
  private static void appendName(StringBuilder out, String prefix, String name) {
    out.append(prefix).append(name).append(name.contains(" ") ? "\t\n" : "\n");
  }

  private void appendHunk(StringBuilder out, List<Block> hunk) {
    Block first = hunk.getFirst();
    Block last = hunk.getLast();
    int before = Math.min(CONTEXT, first.fromA);
    int after = Math.min(CONTEXT, linesA.size() - last.toA);
    out.append("@@ -");
    appendRange(out, first.fromA - before, last.toA + after);
    out.append(" +");
    appendRange(out, first.fromB - before, last.toB + after);
    out.append(" @@\n");
    int atA = first.fromA - before;
    for (Block block : hunk) {
      appendLines(out, ' ', linesA.subList(atA, block.fromA));
      appendLines(out, '-', linesA.subList(block.fromA, block.toA));
      appendLines(out, '+', linesB.subList(block.fromB, block.toB));
      atA = block.toA;
    }
    appendLines(out, ' ', linesA.subList(atA, atA + after));
  }

  /** Lines are counted from 1; an empty range names the line before it. */
  private static void appendRange(StringBuilder out, int from, int to) {
    out.append(to > from ? from + 1 : from);
    if (to - from != 1) {
      out.append(',').append(to - from);
    }
  }

  private static void appendLines(StringBuilder out, char mark, List<String> lines) {
    for (String line : lines) {
      out.append(mark).append(line);
      if (!line.endsWith("\n")) {
        out.append("\n\\ No newline at end of file\n");
      }
    }
  }
}
