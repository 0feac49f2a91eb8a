package io.forkd.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Columns of text under each other; the first to the left, the others to the right. */
final class TextTable {
  private final List<List<String>> rows = new ArrayList<>();

  TextTable(String... head) {
    rows.add(List.of(head));
  }

  void row(String... cells) {
    rows.add(List.of(cells));
  }

  String text() {
    int columns = rows.getFirst().size();
    int[] widths =
        IntStream.range(0, columns)
            .map(i -> rows.stream().mapToInt(row -> row.get(i).length()).max().orElse(0))
            .toArray();
    return rows.stream()
        .map(
            row ->
                IntStream.range(0, columns)
                    .mapToObj(i -> cell(row.get(i), widths[i], i == 0))
                    .collect(Collectors.joining("  "))
                    .stripTrailing())
        .collect(Collectors.joining("\n", "", "\n"));
  }

  private static String cell(String text, int width, boolean left) {
    String space = " ".repeat(width - text.length());
    return left ? text + space : space + text;
  }
}
