package io.forkd.cli;

import io.forkd.client.BudgetInfo;
import io.forkd.client.JsonObject;
import io.forkd.client.SandboxInfo;
import io.forkd.client.SandboxUse;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;

/** What happened between two samples, busiest sandbox first. */
final class TopView {
  private static final int LONGEST_LABELS = 32;
  private static final SandboxUse NONE =
      new SandboxUse("", "", 0, 0, 0, 0, Optional.empty(), JsonObject.ofPairs());

  /**
   * One sandbox.
   *
   * @param cpu processors used, in percent of one
   */
  private record Row(SandboxInfo sandbox, SandboxUse use, double cpu) {}

  private final List<Row> rows;
  private final List<BudgetInfo> budgets;

  TopView(TopSample before, TopSample now) {
    double elapsedMs = Math.max(1, (now.nanos() - before.nanos()) / 1e6);
    rows =
        now.sandboxes().stream()
            .map(sandbox -> row(sandbox, before, now, elapsedMs))
            .sorted(
                Comparator.comparingDouble(Row::cpu)
                    .reversed()
                    .thenComparing(row -> row.sandbox().id()))
            .toList();
    budgets = now.budgets();
  }

  private static Row row(SandboxInfo sandbox, TopSample before, TopSample now, double elapsedMs) {
    SandboxUse use = now.use().getOrDefault(sandbox.id(), NONE);
    double spent = use.cpuMs() - before.use().getOrDefault(sandbox.id(), use).cpuMs();
    // A sandbox that was paused and resumed counts from the start again.
    return new Row(sandbox, use, Math.max(0, spent) / elapsedMs * 100);
  }

  /**
   * Prints a header and a table.
   *
   * @param most how many sandboxes there is room for
   */
  void print(Terminal terminal, Instant now, int most) {
    terminal.out().println(header());
    if (!budgets.isEmpty()) {
      terminal.out().println(capacity());
    }
    Table table =
        new Table("ID", "SNAPSHOT", "STATE", ">AGE", ">CPU %", ">PRIVATE", ">SHARED", "LABELS");
    for (Row row : rows.subList(0, Math.min(most, rows.size()))) {
      SandboxInfo sandbox = row.sandbox();
      table.row(
          sandbox.id(),
          sandbox.snapshotTag(),
          States.text(terminal, sandbox),
          Units.age(Duration.between(sandbox.createdAt(), now)),
          percent(row.cpu()),
          Units.bytes(row.use().privateBytes()),
          Units.bytes(row.use().sharedBytes()),
          shortened(Labels.text(sandbox.labels())));
    }
    table.print(terminal);
    if (rows.size() > most) {
      terminal.out().println(terminal.faint("… %d more".formatted(rows.size() - most)));
    }
  }

  private String header() {
    long paused = rows.stream().filter(row -> row.sandbox().paused()).count();
    return "%d running, %d paused; cpu %s %%, private memory %s"
        .formatted(
            rows.size() - paused,
            paused,
            percent(rows.stream().mapToDouble(Row::cpu).sum()),
            Units.bytes(rows.stream().mapToLong(row -> row.use().privateBytes()).sum()));
  }

  private String capacity() {
    return budgets.stream()
        .map(
            budget ->
                "%s %d%s"
                    .formatted(
                        Visible.name(budget.name()),
                        budget.used(),
                        budget.most().map(most -> " of " + most).orElse("")))
        .collect(Collectors.joining(", ", "Budgets: ", ""));
  }

  JsonObject json() {
    return JsonObject.ofPairs(
        "sandboxes",
        rows.stream().map(TopView::json).toList(),
        "budgets",
        budgets.stream().map(BudgetInfo::json).toList());
  }

  private static JsonObject json(Row row) {
    return JsonObject.ofPairs(
        "id",
        row.sandbox().id(),
        "snapshot_tag",
        row.sandbox().snapshotTag(),
        "state",
        row.sandbox().state(),
        "created_at_unix",
        row.sandbox().createdAt().getEpochSecond(),
        "cpu_percent",
        Math.round(row.cpu() * 10) / 10.0,
        "private_bytes",
        row.use().privateBytes(),
        "shared_bytes",
        row.use().sharedBytes(),
        "labels",
        row.sandbox().labels());
  }

  private static String percent(double percent) {
    return String.format(Locale.ROOT, "%.1f", percent);
  }

  private static String shortened(String labels) {
    return labels.length() > LONGEST_LABELS
        ? labels.substring(0, LONGEST_LABELS - 1) + "…"
        : labels;
  }
}
