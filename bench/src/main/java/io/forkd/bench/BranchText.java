package io.forkd.bench;

import java.util.Locale;
import java.util.Optional;

/** A report on branches for people. */
final class BranchText {
  private static final String ELSEWHERE = "reported by forkd (Rust), other machine";

  private final BranchReport report;
  private final StringBuilder text = new StringBuilder();

  private BranchText(BranchReport report) {
    this.report = report;
  }

  static String of(BranchReport report) {
    BranchText writer = new BranchText(report);
    writer.head();
    writer.pauses();
    writer.answers();
    report.consecutive().ifPresent(writer::consecutive);
    writer.goals();
    writer.remarks();
    return writer.text.toString();
  }

  private void head() {
    BranchOptions options = report.options();
    line(
        "BRANCH of running children of %s, %d of a kind, %s"
            .formatted(
                options.tag(),
                options.repeat(),
                options.writerMibS() == 0
                    ? "idle guests"
                    : "the guest writing %d MiB/s".formatted(options.writerMibS())));
    line(report.machine().line());
    line("");
  }

  private void pauses() {
    TextTable table =
        new TextTable(
            "pause of the source",
            "p50",
            "p99",
            "min",
            "max",
            "copying p50",
            "delta p50",
            "to disk p50",
            "guest wrote");
    for (PauseCell cell : report.pauses()) {
      table.row(
          cell.name(),
          Numbers.millis(cell.pauseMs().p50()),
          Numbers.millis(cell.pauseMs().p99()),
          Numbers.millis(cell.pauseMs().min()),
          Numbers.millis(cell.pauseMs().max()),
          Numbers.millis(cell.copyMs().p50()),
          Numbers.mib(cell.deltaMib().p50().map(it -> it * 1024)),
          Numbers.millis(cell.callMs().p50()),
          cell.writerMibS().map(it -> decimal(it, "MiB/s")).orElse(Numbers.NONE));
    }
    text.append(table.text());
    report
        .pauses()
        .forEach(cell -> cell.missing().ifPresent(why -> line(cell.name() + ": " + why)));
    line("");
  }

  private void answers() {
    TextTable table =
        new TextTable("branch to first answer", "p50", "p99", "children named p50", "pause p50");
    report.answered().forEach(it -> answered(table, "one child, depth " + it.depth(), it));
    report
        .fanOut()
        .ifPresent(it -> answered(table, "all of %d, depth 0".formatted(it.children()), it));
    text.append(table.text());
    line("");
  }

  private static void answered(TextTable table, String name, Answered answered) {
    table.row(
        name,
        Numbers.millis(answered.wallMs().p50()),
        Numbers.millis(answered.wallMs().p99()),
        Numbers.millis(answered.callMs().p50()),
        Numbers.millis(answered.pauseMs().p50()));
  }

  private void consecutive(Consecutive all) {
    line(
        "%d branches of one sandbox (%s, %d MiB), median of %d sandboxes: first %s, last %s; of the first five %s, of the last five %s"
            .formatted(
                all.seriesMs().stream().mapToInt(Samples::count).max().orElse(0),
                all.mode(),
                all.dirtyMib(),
                all.seriesMs().size(),
                Numbers.millis(all.firstMs()),
                Numbers.millis(all.lastMs()),
                Numbers.millis(all.firstFewMs()),
                Numbers.millis(all.lastFewMs())));
    line("");
  }

  private void goals() {
    TextTable table = new TextTable("goals", "measured", "at most", "", ELSEWHERE);
    for (Goal goal : report.goals()) {
      table.row(
          goal.what(),
          goal.measured().map(it -> decimal(it, goal.unit())).orElse(Numbers.NONE),
          decimal(goal.atMost(), goal.unit()),
          goal.met().map(met -> met ? "met" : "missed").orElse("not measured"),
          goal.elsewhere());
    }
    text.append(table.text());
    line("");
  }

  private void remarks() {
    line(
        "The first branch, child and answer of this run took %s."
            .formatted(Numbers.millis(Optional.of(report.firstMs()))));
    report.failures().forEach(failure -> line("Failed: " + failure));
  }

  private static String decimal(double value, String unit) {
    return String.format(Locale.ROOT, unit.equals("×") ? "%.2f%s" : "%.2f %s", value, unit);
  }

  private void line(String words) {
    text.append(words).append('\n');
  }
}
