package io.forkd.bench;

import io.forkd.client.ForkdClient;
import io.forkd.client.SandboxInfo;
import io.forkd.client.SnapshotInfo;
import io.forkd.linux.MemInfo;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Forks children through the daemon, has each answer, and takes the measure of them. */
final class ForkdRuns {
  private static final double KIB = 1024;

  private final ForkdClient client;
  private final SnapshotInfo snapshot;
  private final int parallel;
  private final Undo undo;

  ForkdRuns(ForkdClient client, SnapshotInfo snapshot, int parallel, Undo undo) {
    this.client = client;
    this.snapshot = snapshot;
    this.parallel = parallel;
    this.undo = undo;
  }

  /**
   * Request to last answer, with n children; none of them is left.
   *
   * @param cpuBeforeMs what processes that were there already had used before the request, by pid
   */
  Result measure(String name, String how, int n, Map<Long, Double> cpuBeforeMs) {
    Settling.pause();
    long before = MemInfo.read().available();
    Stopwatch watch = new Stopwatch();
    try (Children forked = Children.fork(client, snapshot.tag(), n, undo)) {
      List<SandboxInfo> children = forked.all();
      double forkMs = watch.millis();
      List<Answer> answers =
          Parallel.map(
              children,
              parallel,
              child -> answer(child).since(cpuBeforeMs.getOrDefault(child.pid(), 0.0)));
      double wallMs = watch.millis();
      List<ProcessReading> readings =
          children.stream()
              .flatMap(child -> ProcessReading.of(child.pid(), guestRam()).stream())
              .toList();
      double hostKib = (before - MemInfo.read().available()) / KIB / n;
      ChildFacts facts = facts(children, answers, readings, forkMs, hostKib);
      return new Result(
          name,
          how,
          n,
          wallMs,
          Samples.of(perChildMs(children, answers)),
          facts.cpuFirstReplyMs().mean().map(Stopwatch::rounded),
          Optional.of(facts),
          Optional.empty(),
          List.of());
    }
  }

  /** Forks children that are looked at before they run; empty when the daemon cannot do that. */
  Optional<Restored> restored(int n) {
    try (Children forked = Children.fork(client, snapshot.tag(), n, true, undo)) {
      return Restored.of(forked.all());
    }
  }

  /** Leads the whole way once, so that neither this program nor the daemon is cold later. */
  double rehearse() {
    Stopwatch watch = new Stopwatch();
    try (Children forked = Children.fork(client, snapshot.tag(), 1, undo)) {
      forked.all().forEach(this::answer);
      return watch.millis();
    }
  }

  private record Answer(double evalMs, double cpuMs) {
    Answer since(double cpuBeforeMs) {
      return new Answer(evalMs, cpuMs - cpuBeforeMs);
    }
  }

  private Answer answer(SandboxInfo child) {
    double evalMs = Workload.ask(client, child);
    return new Answer(evalMs, ProcessReading.cpuMillis(child.pid()));
  }

  private static List<Double> perChildMs(List<SandboxInfo> children, List<Answer> answers) {
    return java.util.stream.IntStream.range(0, children.size())
        .mapToObj(
            i -> children.get(i).phasesMs().getOrDefault("total", 0.0) + answers.get(i).evalMs())
        .map(Stopwatch::rounded)
        .toList();
  }

  private static ChildFacts facts(
      List<SandboxInfo> children,
      List<Answer> answers,
      List<ProcessReading> readings,
      double forkMs,
      double hostKib) {
    return new ChildFacts(
        (int) children.stream().filter(SandboxInfo::pooled).count(),
        forkMs,
        phases(children),
        Samples.of(answers.stream().map(Answer::evalMs).toList()),
        Samples.of(answers.stream().map(Answer::cpuMs).map(Stopwatch::rounded).toList()),
        Samples.of(readings.stream().map(ProcessReading::anonymousKib).toList()),
        Samples.of(readings.stream().map(ProcessReading::guestRamKib).toList()),
        hostKib);
  }

  private static Map<String, Samples> phases(List<SandboxInfo> children) {
    Map<String, Samples> phases = new TreeMap<>();
    children.stream()
        .flatMap(child -> child.phasesMs().keySet().stream())
        .distinct()
        .forEach(
            phase ->
                phases.put(
                    phase,
                    Samples.of(
                        children.stream()
                            .map(SandboxInfo::phasesMs)
                            .filter(map -> map.containsKey(phase))
                            .map(map -> map.get(phase))
                            .toList())));
    return phases;
  }

  private long guestRam() {
    return (long) snapshot.memoryMib() << 20;
  }
}
