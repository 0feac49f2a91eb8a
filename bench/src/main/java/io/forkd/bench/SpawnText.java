package io.forkd.bench;

import java.util.List;
import java.util.Optional;

/** A report for people. */
final class SpawnText {
  private static final List<String> PHASES =
      List.of("queue", "spawn", "restore", "resume", "handshake", "total");

  private final SpawnReport report;
  private final int n;
  private final StringBuilder text = new StringBuilder();

  private SpawnText(SpawnReport report) {
    this.report = report;
    this.n = report.options().n();
  }

  static String of(SpawnReport report) {
    SpawnText writer = new SpawnText(report);
    writer.head();
    writer.contenders();
    report
        .results()
        .forEach(result -> result.children().ifPresent(it -> writer.children(result, it)));
    writer.moments();
    writer.remarks();
    return writer.text.toString();
  }

  private void head() {
    line(
        "%s, %d workloads, %d at a time"
            .formatted(Workload.EXPRESSION, n, report.options().parallel()));
    line(report.machine().line());
    line("");
  }

  private void contenders() {
    TextTable table =
        new TextTable("", "all " + n, "vs crun", "runs", "p50 each", "p99 each", "CPU each");
    for (Result result : report.results()) {
      if (!result.measured()) {
        table.row(
            result.name(), "missing", Numbers.NONE, "0", Numbers.NONE, Numbers.NONE, Numbers.NONE);
        continue;
      }
      String mark = result.extrapolatedFor(n) ? "~" : "";
      table.row(
          result.how(),
          mark + Numbers.millis(result.totalMs(n)),
          mark + Numbers.ratio(report.ratio(result)),
          "" + result.runs(),
          Numbers.millis(result.eachMs().p50()),
          Numbers.millis(result.eachMs().p99()),
          Numbers.millis(result.cpuMsPerRun()));
    }
    text.append(table.text());
    if (report.results().stream().anyMatch(it -> it.measured() && it.extrapolatedFor(n))) {
      line("~ extrapolated from fewer runs, not measured");
    }
    line("");
  }

  private void children(Result result, ChildFacts facts) {
    line("%s: %d of %d from the pool".formatted(result.how(), facts.pooled(), result.runs()));
    TextTable table = new TextTable("  phase", "p50", "p99");
    for (String phase : PHASES) {
      Samples samples = facts.phasesMs().getOrDefault(phase, Samples.NONE);
      if (!samples.isEmpty()) {
        table.row("  " + phase, Numbers.millis(samples.p50()), Numbers.millis(samples.p99()));
      }
    }
    table.row("  eval", Numbers.millis(facts.evalMs().p50()), Numbers.millis(facts.evalMs().p99()));
    text.append(table.text());
    line("  request to all children named: " + Numbers.millis(facts.forkMs()));
    line("");
  }

  /** CPU and memory of a child at the points where they mean something. */
  private void moments() {
    TextTable table =
        new TextTable("per child (median)", "CPU", "own memory", "of it guest RAM", "host memory");
    report
        .restored()
        .ifPresentOrElse(
            it ->
                table.row(
                    "restored, not run",
                    Numbers.millis(it.cpuMs().p50()),
                    Numbers.mib(it.anonymousKib().p50()),
                    Numbers.kib(it.guestRamKib().p50()),
                    Numbers.NONE),
            () ->
                table.row(
                    "restored, not run",
                    "not reported",
                    "not reported",
                    "not reported",
                    Numbers.NONE));
    if (!report.parked().isEmpty()) {
      table.row(
          "parked in the pool",
          Numbers.millis(report.parked(ProcessReading::cpuMs).p50()),
          Numbers.mib(report.parked(ProcessReading::anonymousKib).p50()),
          Numbers.kib(report.parked(ProcessReading::guestRamKib).p50()),
          Numbers.NONE);
    }
    for (Result result : report.results()) {
      result
          .children()
          .ifPresent(
              it ->
                  table.row(
                      result.name() + ", request to first reply",
                      Numbers.millis(it.cpuFirstReplyMs().p50()),
                      Numbers.mib(it.anonymousKib().p50()),
                      Numbers.kib(it.guestRamKib().p50()),
                      Numbers.mib(Optional.of(it.hostKibPerChild()))));
    }
    text.append(table.text());
    line("");
  }

  private void remarks() {
    line(
        "The first fork and answer of this run took %s."
            .formatted(Numbers.millis(report.firstForkMs())));
    report
        .poolFillMs()
        .ifPresent(it -> line("Filling the pool took %s.".formatted(Numbers.millis(it))));
    for (Result result : report.results()) {
      result.missing().ifPresent(why -> line("%s: %s".formatted(result.name(), why)));
      result.remarks().forEach(this::line);
    }
  }

  private void line(String words) {
    text.append(words).append('\n');
  }
}
