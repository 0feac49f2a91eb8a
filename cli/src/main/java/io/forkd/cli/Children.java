package io.forkd.cli;

import io.forkd.client.SandboxInfo;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** A table of children and what their forks cost, short however many there are. */
final class Children {
  static final List<String> PHASES =
      List.of("queue", "spawn", "restore", "resume", "handshake", "total");
  private static final int MOST_ROWS = 20;
  private static final int SHOWN_WHEN_MORE = 10;

  private Children() {}

  static void print(Terminal terminal, List<SandboxInfo> children) {
    String[] headings = {
      "ID", ">PID", ">QUEUE", ">SPAWN", ">RESTORE", ">RESUME", ">HANDSHAKE", ">TOTAL ms"
    };
    Table table = new Table(headings);
    int shown = children.size() <= MOST_ROWS ? children.size() : SHOWN_WHEN_MORE;
    children.stream().limit(shown).forEach(child -> table.row(cells(child)));
    if (shown < children.size()) {
      table.row(middle("… %d more".formatted(children.size() - shown)));
    }
    if (children.size() > 1) {
      table.row(summary("p50", children, 0.5));
      table.row(summary("p99", children, 0.99));
    }
    table.print(terminal);
  }

  /** The value below which the given share of them lies. */
  static double percentile(double[] values, double share) {
    if (values.length == 0) {
      return Double.NaN;
    }
    double[] sorted = values.clone();
    Arrays.sort(sorted);
    return sorted[Math.max(0, (int) Math.ceil(share * sorted.length) - 1)];
  }

  static double[] phase(List<SandboxInfo> children, String phase) {
    return children.stream()
        .filter(child -> child.phasesMs().containsKey(phase))
        .mapToDouble(child -> child.phasesMs().getOrDefault(phase, 0.0))
        .toArray();
  }

  static String number(double millis) {
    return Double.isNaN(millis) ? "–" : String.format(Locale.ROOT, "%.1f", millis);
  }

  private static Object[] cells(SandboxInfo child) {
    Object[] cells = middle(child.id());
    cells[1] = child.pid();
    for (int i = 0; i < PHASES.size(); i++) {
      cells[i + 2] = number(child.phasesMs().getOrDefault(PHASES.get(i), Double.NaN));
    }
    return cells;
  }

  private static Object[] summary(String name, List<SandboxInfo> children, double share) {
    Object[] cells = middle(name);
    for (int i = 0; i < PHASES.size(); i++) {
      cells[i + 2] = number(percentile(phase(children, PHASES.get(i)), share));
    }
    return cells;
  }

  private static Object[] middle(String first) {
    Object[] cells = new Object[PHASES.size() + 2];
    Arrays.fill(cells, "");
    cells[0] = first;
    return cells;
  }
}
