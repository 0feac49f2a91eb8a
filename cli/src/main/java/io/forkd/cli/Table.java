package io.forkd.cli;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Columns as wide as what they hold; a heading that starts with {@code >} aligns right. */
final class Table {
  private final List<String> headings;
  private final List<List<String>> rows = new ArrayList<>();

  Table(String... headings) {
    this.headings = Arrays.asList(headings);
  }

  Table row(Object... cells) {
    rows.add(Arrays.stream(cells).map(String::valueOf).toList());
    return this;
  }

  boolean isEmpty() {
    return rows.isEmpty();
  }

  void print(Terminal terminal) {
    int[] widths = new int[headings.size()];
    List<String> titles =
        headings.stream().map(h -> h.startsWith(">") ? h.substring(1) : h).toList();
    measure(titles, widths);
    rows.forEach(row -> measure(row, widths));
    terminal.out().println(terminal.faint(line(titles, widths)));
    rows.forEach(row -> terminal.out().println(line(row, widths)));
  }

  private static void measure(List<String> cells, int[] widths) {
    for (int i = 0; i < widths.length && i < cells.size(); i++) {
      widths[i] = Math.max(widths[i], visibleLength(cells.get(i)));
    }
  }

  private String line(List<String> cells, int[] widths) {
    StringBuilder line = new StringBuilder();
    for (int i = 0; i < cells.size(); i++) {
      String padding = " ".repeat(Math.max(0, widths[i] - visibleLength(cells.get(i))));
      boolean right = headings.get(i).startsWith(">");
      line.append(i == 0 ? "" : "  ").append(right ? padding : "").append(cells.get(i));
      line.append(right || i == cells.size() - 1 ? "" : padding);
    }
    return line.toString();
  }

  private static int visibleLength(String cell) {
    return cell.replaceAll("\u001b\\[[0-9;]*m", "").length();
  }
}
