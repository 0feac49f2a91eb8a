package io.forkd.bench;

import io.forkd.client.BranchMode;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/** A report on branches as a picture. */
final class BranchChart {
  private BranchChart() {}

  static String of(BranchReport report) {
    return new Chart(
            "BRANCH of a running sandbox: pause, and the children's first answer",
            subtitle(report),
            Stream.of(pauses(report), answers(report))
                .filter(panel -> !panel.bars().isEmpty())
                .toList(),
            notes(report))
        .svg();
  }

  private static String subtitle(BranchReport report) {
    Machine machine = report.machine();
    return "%s, %d cores, guests by %s (%s), writer %d MiB/s, load before %s"
        .formatted(
            machine.arch(),
            machine.cores(),
            machine.accel().toUpperCase(Locale.ROOT),
            machine.versions().getOrDefault("vmm", "?"),
            report.options().writerMibS(),
            machine.loadBefore());
  }

  private static BarPanel pauses(BranchReport report) {
    return new BarPanel(
        "Pause of the source by changed memory, p50 of %d (log scale)"
            .formatted(report.options().repeat()),
        report.pauses().stream()
            .flatMap(
                cell -> bar(cell.name(), cell.pauseMs(), cell.mode() == BranchMode.LIVE).stream())
            .toList());
  }

  private static BarPanel answers(BranchReport report) {
    Stream<Optional<BarPanel.Bar>> depths =
        report.answered().stream()
            .map(it -> bar("1 child, depth " + it.depth(), it.wallMs(), true));
    Stream<Optional<BarPanel.Bar>> fanOut =
        report.fanOut().stream()
            .map(it -> bar("all %d children".formatted(it.children()), it.wallMs(), true));
    return new BarPanel(
        "Branch to the last child's first answer, p50 of %d (log scale)"
            .formatted(report.options().repeat()),
        Stream.concat(depths, fanOut).flatMap(Optional::stream).toList());
  }

  /** None for what was not measured; a logarithmic axis has no place for zero either. */
  private static Optional<BarPanel.Bar> bar(String name, Samples samples, boolean strong) {
    return samples
        .p50()
        .filter(p50 -> p50 > 0)
        .map(
            p50 ->
                new BarPanel.Bar(
                    name,
                    p50,
                    "%s  (p99 %s)".formatted(Numbers.millis(p50), Numbers.millis(samples.p99())),
                    strong,
                    false));
  }

  private static List<String> notes(BranchReport report) {
    Stream<String> missing =
        report.pauses().stream()
            .flatMap(
                cell -> cell.missing().map(why -> "%s: %s".formatted(cell.name(), why)).stream());
    return Stream.concat(missing, Stream.of(Chart.imprint(report.machine()))).toList();
  }
}
