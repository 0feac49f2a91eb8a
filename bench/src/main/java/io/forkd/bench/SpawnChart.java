package io.forkd.bench;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** A report as a picture. */
final class SpawnChart {
  private static final Map<String, String> NAMES =
      Map.of(
          "forkd", "forkd, on request",
          "forkd-pool", "forkd, warm pool",
          "crun", "crun, new container",
          "runsc", "runsc (gVisor), new",
          "qemu-boot", "QEMU, cold boot");

  private SpawnChart() {}

  static String of(SpawnReport report) {
    return new Chart(
            "%d × Python + numpy: until the last answer".formatted(report.options().n()),
            subtitle(report),
            panels(report),
            notes(report))
        .svg();
  }

  private static String subtitle(SpawnReport report) {
    Machine machine = report.machine();
    return "%s, %d cores, guests by %s (%s), %d at a time, load before %s"
        .formatted(
            machine.arch(),
            machine.cores(),
            machine.accel().toUpperCase(java.util.Locale.ROOT),
            machine.versions().getOrDefault("vmm", "?"),
            report.options().parallel(),
            machine.loadBefore());
  }

  private static List<BarPanel> panels(SpawnReport report) {
    int n = report.options().n();
    List<Result> measured = report.results().stream().filter(Result::measured).toList();
    BarPanel wall =
        new BarPanel(
            "Wall time for all %d (log scale)".formatted(n),
            measured.stream().map(result -> wall(report, result)).toList());
    BarPanel cpu =
        new BarPanel(
            "CPU time each, from the request to its answer (log scale)",
            measured.stream().flatMap(result -> cpu(result).stream()).toList());
    return Stream.of(wall, cpu).filter(panel -> !panel.bars().isEmpty()).toList();
  }

  private static BarPanel.Bar wall(SpawnReport report, Result result) {
    int n = report.options().n();
    boolean projected = result.extrapolatedFor(n);
    String mark = projected ? "~" : "";
    String ratio =
        report
            .ratio(result)
            .map(it -> "  (%s%s crun)".formatted(mark, Numbers.ratio(Optional.of(it))))
            .orElse("");
    String label = mark + Numbers.millis(result.totalMs(n)) + ratio;
    return new BarPanel.Bar(name(result), result.totalMs(n), label, ours(result), projected);
  }

  private static Optional<BarPanel.Bar> cpu(Result result) {
    return result
        .cpuMsPerRun()
        .filter(it -> it > 0)
        .map(it -> new BarPanel.Bar(name(result), it, Numbers.millis(it), ours(result), false));
  }

  private static List<String> notes(SpawnReport report) {
    int n = report.options().n();
    Stream<String> projections =
        report.results().stream()
            .filter(it -> it.measured() && it.extrapolatedFor(n))
            .map(it -> "~ %s: extrapolated from %d runs".formatted(name(it), it.runs()));
    Stream<String> missing =
        report.results().stream()
            .filter(it -> !it.measured())
            .map(it -> "%s: %s".formatted(name(it), it.missing().orElse("")));
    return Stream.of(projections, missing, Stream.of(Chart.imprint(report.machine())))
        .flatMap(it -> it)
        .toList();
  }

  private static boolean ours(Result result) {
    return result.children().isPresent();
  }

  private static String name(Result result) {
    return NAMES.getOrDefault(result.name(), result.name());
  }
}
