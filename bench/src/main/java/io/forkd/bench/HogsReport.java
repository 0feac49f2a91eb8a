package io.forkd.bench;

import io.forkd.client.JsonObject;
import java.util.List;
import java.util.Locale;

/**
 * What {@code bench hogs} found out.
 *
 * @param failures hogs that gave up, so that what was measured beside them says nothing
 */
record HogsReport(Machine machine, HogsOptions options, List<HogRow> rows, List<String> failures) {
  private static final double MOST = 2;

  HogsReport {
    rows = List.copyOf(rows);
    failures = List.copyOf(failures);
  }

  List<Goal> goals() {
    return rows.stream().map(HogsReport::goal).toList();
  }

  private static Goal goal(HogRow row) {
    return new Goal(
        row.name() + "_to_quiet", row.what() + ": p50 ÷ without", row.ratio(), MOST, "×", "");
  }

  String text() {
    TextTable table = new TextTable("eval beside", "p50", "p99", "p50 without", "ratio", "");
    for (HogRow row : rows) {
      table.row(
          row.what(),
          Numbers.millis(row.loudMs().p50()),
          Numbers.millis(row.loudMs().p99()),
          Numbers.millis(row.quietMs().p50()),
          row.ratio().map(it -> String.format(Locale.ROOT, "%.2f×", it)).orElse(Numbers.NONE),
          goal(row).met().map(met -> met ? "met" : "missed").orElse("not measured"));
    }
    StringBuilder text = new StringBuilder();
    text.append(
        "Answers of one sandbox of %s, %d each time, beside hogs in others (%s)%n"
            .formatted(
                options.tag(),
                options.evals(),
                options
                    .cpus()
                    .map(it -> "each limited to %s processors".formatted(it))
                    .orElse("no limit of processors")));
    text.append(machine.line()).append("\n\n").append(table.text()).append('\n');
    text.append("Goal: at most %.0f times as long as without them.%n".formatted(MOST));
    failures.forEach(failure -> text.append("Failed: ").append(failure).append('\n'));
    return text.toString();
  }

  JsonObject json() {
    return JsonObject.ofPairs(
        "benchmark",
        "hogs",
        "format",
        1,
        "machine",
        SpawnJson.machine(machine),
        "options",
        JsonObject.ofPairs("tag", options.tag(), "evals", options.evals(), "cpus", options.cpus()),
        "beside",
        rows.stream().map(HogsReport::json).toList(),
        "goals",
        goals().stream().map(BranchJson::goal).toList(),
        "failures",
        failures);
  }

  private static JsonObject json(HogRow row) {
    return JsonObject.ofPairs(
        "name",
        row.name(),
        "quiet_ms",
        SpawnJson.samples(row.quietMs()),
        "eval_ms",
        SpawnJson.samples(row.loudMs()),
        "ratio",
        row.ratio().map(Stopwatch::rounded));
  }
}
