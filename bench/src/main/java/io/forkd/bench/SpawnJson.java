package io.forkd.bench;

import io.forkd.client.JsonObject;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A report for programs: every sample, and what was made of them. */
final class SpawnJson {
  private SpawnJson() {}

  static JsonObject of(SpawnReport report) {
    SpawnOptions options = report.options();
    return JsonObject.ofPairs(
        "benchmark",
        "spawn",
        "format",
        1,
        "machine",
        machine(report.machine()),
        "workload",
        JsonObject.ofPairs("eval", Workload.EXPRESSION, "program", Workload.PROGRAM),
        "options",
        JsonObject.ofPairs("tag", options.tag(), "n", options.n(), "parallel", options.parallel()),
        "first_fork_ms",
        report.firstForkMs(),
        "restored",
        report.restored().map(SpawnJson::restored),
        "pool_fill_ms",
        report.poolFillMs(),
        "parked",
        JsonObject.ofPairs(
            "cpu_ms",
            samples(report.parked(ProcessReading::cpuMs)),
            "anonymous_kib",
            samples(report.parked(ProcessReading::anonymousKib)),
            "guest_ram_kib",
            samples(report.parked(ProcessReading::guestRamKib))),
        "results",
        report.results().stream().map(result -> result(report, result)).toList());
  }

  static JsonObject machine(Machine machine) {
    return JsonObject.ofPairs(
        "when",
        machine.when().toString(),
        "arch",
        machine.arch(),
        "cores",
        machine.cores(),
        "cpu",
        machine.cpu(),
        "kernel",
        machine.kernel(),
        "memory_mib",
        machine.memoryMib(),
        "accel",
        machine.accel(),
        "load_before",
        machine.loadBefore(),
        "versions",
        machine.versions());
  }

  private static JsonObject restored(Restored restored) {
    return JsonObject.ofPairs(
        "cpu_ms",
        samples(restored.cpuMs()),
        "anonymous_kib",
        samples(restored.anonymousKib()),
        "guest_ram_kib",
        samples(restored.guestRamKib()));
  }

  private static JsonObject result(SpawnReport report, Result result) {
    int n = report.options().n();
    if (!result.measured()) {
      return JsonObject.ofPairs("name", result.name(), "missing", result.missing());
    }
    return JsonObject.ofPairs(
        "name",
        result.name(),
        "how",
        result.how(),
        "runs",
        result.runs(),
        "wall_ms",
        result.wallMs(),
        "total_ms",
        Stopwatch.rounded(result.totalMs(n)),
        "total_is_extrapolated",
        result.extrapolatedFor(n),
        "ratio_to_crun",
        report.ratio(result),
        "cpu_ms_per_run",
        result.cpuMsPerRun(),
        "each_ms",
        samples(result.eachMs()),
        "children",
        result.children().map(SpawnJson::children),
        "remarks",
        result.remarks());
  }

  private static JsonObject children(ChildFacts facts) {
    Map<String, @Nullable Object> phases = new LinkedHashMap<>();
    facts.phasesMs().keySet().stream()
        .sorted()
        .forEach(
            phase ->
                phases.put(phase, samples(facts.phasesMs().getOrDefault(phase, Samples.NONE))));
    return JsonObject.ofPairs(
        "pooled",
        facts.pooled(),
        "fork_ms",
        facts.forkMs(),
        "phases_ms",
        phases,
        "eval_ms",
        samples(facts.evalMs()),
        "cpu_first_reply_ms",
        samples(facts.cpuFirstReplyMs()),
        "anonymous_kib",
        samples(facts.anonymousKib()),
        "guest_ram_kib",
        samples(facts.guestRamKib()),
        "host_kib_per_child",
        Stopwatch.rounded(facts.hostKibPerChild()));
  }

  static JsonObject samples(Samples samples) {
    return JsonObject.ofPairs(
        "count",
        samples.count(),
        "p50",
        samples.p50(),
        "p99",
        samples.p99(),
        "mean",
        samples.mean().map(Stopwatch::rounded),
        "min",
        samples.min(),
        "max",
        samples.max(),
        "samples",
        samples.values());
  }
}
