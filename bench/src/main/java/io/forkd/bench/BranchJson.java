package io.forkd.bench;

import io.forkd.client.BranchMode;
import io.forkd.client.JsonObject;

/** A report on branches for programs: every sample, and what was made of them. */
final class BranchJson {
  private BranchJson() {}

  static JsonObject of(BranchReport report) {
    return JsonObject.ofPairs(
        "benchmark",
        "branch",
        "format",
        1,
        "machine",
        SpawnJson.machine(report.machine()),
        "options",
        options(report.options()),
        "first_ms",
        report.firstMs(),
        "pauses",
        report.pauses().stream().map(BranchJson::pause).toList(),
        "branch_to_answer",
        report.answered().stream().map(BranchJson::answered).toList(),
        "fan_out",
        report.fanOut().map(BranchJson::answered),
        "consecutive",
        report.consecutive().map(BranchJson::consecutive),
        "goals",
        report.goals().stream().map(BranchJson::goal).toList(),
        "failures",
        report.failures());
  }

  private static JsonObject options(BranchOptions options) {
    return JsonObject.ofPairs(
        "tag",
        options.tag(),
        "dirty_mib",
        options.dirtyMib(),
        "modes",
        options.modes().stream().map(BranchMode::toString).toList(),
        "depths",
        options.depths(),
        "repeat",
        options.repeat(),
        "writer_mib_s",
        options.writerMibS());
  }

  private static JsonObject pause(PauseCell cell) {
    if (!cell.measured()) {
      return JsonObject.ofPairs(
          "mode", cell.mode().toString(), "dirty_mib", cell.dirtyMib(), "missing", cell.missing());
    }
    return JsonObject.ofPairs(
        "mode",
        cell.mode().toString(),
        "dirty_mib",
        cell.dirtyMib(),
        "pause_ms",
        SpawnJson.samples(cell.pauseMs()),
        "copy_ms",
        SpawnJson.samples(cell.copyMs()),
        "delta_mib",
        SpawnJson.samples(cell.deltaMib()),
        "call_ms",
        SpawnJson.samples(cell.callMs()),
        "writer_mib_s",
        cell.writerMibS());
  }

  private static JsonObject answered(Answered answered) {
    return JsonObject.ofPairs(
        "depth",
        answered.depth(),
        "chain_depth",
        answered.chainDepth(),
        "children",
        answered.children(),
        "wall_ms",
        SpawnJson.samples(answered.wallMs()),
        "call_ms",
        SpawnJson.samples(answered.callMs()),
        "pause_ms",
        SpawnJson.samples(answered.pauseMs()));
  }

  private static JsonObject consecutive(Consecutive all) {
    return JsonObject.ofPairs(
        "mode",
        all.mode(),
        "dirty_mib",
        all.dirtyMib(),
        "first_p50",
        all.firstMs(),
        "last_p50",
        all.lastMs(),
        "first_five_p50",
        all.firstFewMs(),
        "last_five_p50",
        all.lastFewMs(),
        "series",
        all.seriesMs().stream().map(SpawnJson::samples).toList());
  }

  static JsonObject goal(Goal goal) {
    return JsonObject.ofPairs(
        "name",
        goal.name(),
        "measured",
        goal.measured().map(it -> Math.round(it * 1e4) / 1e4),
        "at_most",
        goal.atMost(),
        "unit",
        goal.unit(),
        "met",
        goal.met());
  }
}
