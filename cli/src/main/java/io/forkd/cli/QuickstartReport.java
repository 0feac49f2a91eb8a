package io.forkd.cli;

import io.forkd.client.ForkOutcome;
import io.forkd.client.JsonObject;
import io.forkd.client.SandboxInfo;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The facts a quickstart gathers, and their two ways onto the screen. */
final class QuickstartReport {
  private static final int MOST_ROWS = 20;

  final String tag;
  final int requested;
  List<String> installedPackages = List.of();
  boolean startedDaemon;
  Optional<Double> snapshotMade = Optional.empty();
  double forkMs;
  List<ForkOutcome.Failure> failures = List.of();
  List<Questions.Answered> children = List.of();
  List<String> notKilled = List.of();
  Map<String, Double> stepSeconds = Map.of();

  QuickstartReport(String tag, int requested) {
    this.tag = tag;
    this.requested = requested;
  }

  boolean allRight() {
    return right() == requested && notKilled.isEmpty();
  }

  private long right() {
    return children.stream().filter(Questions.Answered::right).count();
  }

  JsonObject json(Map<String, Path> places) {
    return JsonObject.ofPairs(
        "ok",
        allRight(),
        "tag",
        tag,
        "requested",
        requested,
        "alive",
        children.size(),
        "right_answers",
        right(),
        "packages_installed",
        installedPackages,
        "snapshot_made_secs",
        snapshotMade,
        "step_secs",
        stepSeconds,
        "fork_wall_ms",
        forkMs,
        "code",
        QuickstartCommand.CODE,
        "expected",
        QuickstartCommand.ANSWER,
        "children",
        children.stream().map(QuickstartReport::json).toList(),
        "failures",
        failures.stream()
            .map(f -> JsonObject.ofPairs("index", f.index(), "error", f.error()))
            .toList(),
        "not_killed",
        notKilled,
        "left_behind",
        leftBehind(places));
  }

  private static JsonObject json(Questions.Answered answered) {
    SandboxInfo child = answered.child();
    return JsonObject.ofPairs(
        "id", child.id(),
        "pid", child.pid(),
        "pooled", child.pooled(),
        "phases_ms", child.phasesMs(),
        "eval_ms", answered.evalMs(),
        "memory_bytes", answered.memoryBytes(),
        "answer", answered.answer(),
        "right", answered.right());
  }

  private JsonObject leftBehind(Map<String, Path> places) {
    Map<String, Object> left = new LinkedHashMap<>();
    left.put("snapshot", String.valueOf(places.get("snapshots")) + "/" + tag);
    left.put("image_cache", String.valueOf(places.get("images")));
    left.put("log", String.valueOf(places.get("log")));
    left.put("run_folder", String.valueOf(places.get("run")));
    if (places.containsKey("build")) {
      left.put("build", places.get("build") + ", target folders, and Maven's own cache in ~/.m2");
    }
    left.put("packages", installedPackages);
    left.put("daemon", startedDaemon ? "stopped again" : "was running and still runs");
    return new JsonObject(new LinkedHashMap<>(left));
  }

  void print(Terminal terminal, Map<String, Path> places) {
    table().print(terminal);
    terminal
        .out()
        .println(
            "%s of %d children answered %s = %s; forked in %s."
                .formatted(
                    allRight() ? terminal.green(right() + "") : terminal.red(right() + ""),
                    requested,
                    QuickstartCommand.CODE,
                    QuickstartCommand.ANSWER,
                    Units.millis(forkMs)));
    failures.forEach(
        f -> terminal.err().println("forkd: child %d failed: %s".formatted(f.index(), f.error())));
    children.stream()
        .filter(answered -> !answered.right())
        .forEach(
            a ->
                terminal
                    .err()
                    .println("forkd: %s answered %s".formatted(a.child().id(), a.answer())));
    notKilled.forEach(
        id ->
            terminal.err().println("forkd: %s still runs. Next: forkd kill %s".formatted(id, id)));
    terminal.out().println();
    terminal.out().println("Left behind:");
    leftBehind(places)
        .values()
        .forEach((name, what) -> terminal.out().println("  %-12s %s".formatted(name, what)));
    terminal.out().println("Next: forkd fork --tag %s -n 100".formatted(tag));
  }

  private Table table() {
    Table table =
        new Table(
            "CHILD",
            ">QUEUE",
            ">SPAWN",
            ">RESTORE",
            ">RESUME",
            ">HANDSHAKE",
            ">TOTAL",
            ">EVAL ms",
            ">MEMORY",
            "ANSWER");
    children.stream().limit(MOST_ROWS).forEach(answered -> table.row(cells(answered).toArray()));
    if (children.size() > MOST_ROWS) {
      table.row(
          "… %d more".formatted(children.size() - MOST_ROWS), "", "", "", "", "", "", "", "", "");
    }
    if (children.size() > 1) {
      table.row(medians().toArray());
    }
    return table;
  }

  private static List<Object> cells(Questions.Answered answered) {
    List<Object> cells = new ArrayList<>();
    cells.add(answered.child().id());
    for (String phase : Children.PHASES) {
      cells.add(Children.number(answered.child().phasesMs().getOrDefault(phase, Double.NaN)));
    }
    cells.add(Children.number(answered.evalMs()));
    cells.add(answered.memoryBytes() < 0 ? "–" : Units.bytes(answered.memoryBytes()));
    cells.add(answered.right() ? "right" : "WRONG");
    return cells;
  }

  private List<Object> medians() {
    List<SandboxInfo> infos = children.stream().map(Questions.Answered::child).toList();
    List<Object> cells = new ArrayList<>();
    cells.add("median");
    for (String phase : Children.PHASES) {
      cells.add(Children.number(Children.percentile(Children.phase(infos, phase), 0.5)));
    }
    cells.add(
        Children.number(
            Children.percentile(
                children.stream().mapToDouble(Questions.Answered::evalMs).toArray(), 0.5)));
    cells.add(
        Units.bytes(
            (long)
                Children.percentile(
                    children.stream().mapToDouble(Questions.Answered::memoryBytes).toArray(),
                    0.5)));
    cells.add("");
    return cells;
  }
}
