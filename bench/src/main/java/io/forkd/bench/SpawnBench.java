package io.forkd.bench;

import io.forkd.client.DaemonStatus;
import io.forkd.client.ForkdClient;
import io.forkd.client.SnapshotInfo;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/** Measures how fast forkd's children answer, and others beside them. */
final class SpawnBench {
  private final ForkdClient client;
  private final Narrator narrator;

  SpawnBench(ForkdClient client, Narrator narrator) {
    this.client = client;
    this.narrator = narrator;
  }

  SpawnReport run(SpawnOptions options) {
    SnapshotInfo snapshot = Daemons.snapshot(client, options.tag());
    DaemonStatus status = Daemons.localStatus(client);
    Machine machine = Machine.read(snapshot);
    List<Result> results = new ArrayList<>();
    try (Undo undo = new Undo(narrator::warn)) {
      ForkdRuns runs = new ForkdRuns(client, snapshot, options.parallel(), undo);
      PoolRun pool = new PoolRun(client, options.tag(), narrator);
      // Until the end: a pool that refills would take CPU time from whoever is measured.
      pool.resize(0, undo);
      narrator.begin("Forking one child to warm up");
      double first = runs.rehearse();
      runs.rehearse();
      Optional<Restored> restored = restored(runs, options);
      narrator.begin("Forking %d children, no pool".formatted(options.n()));
      results.add(runs.measure("forkd", "forkd, forked on request", options.n(), Map.of()));
      Pooled pooled =
          options.pool() ? pooled(runs, pool, status, snapshot, options, undo) : Pooled.NO;
      pooled.result().ifPresent(results::add);
      if (options.peers()) {
        Peers peers = new Peers(status, snapshot, options, undo, narrator);
        machine = peers.run(machine, results);
      }
      return new SpawnReport(
          machine, options, first, restored, pooled.fillMs(), pooled.parked(), results);
    }
  }

  private Optional<Restored> restored(ForkdRuns runs, SpawnOptions options) {
    if (options.measured() == 0) {
      return Optional.empty();
    }
    narrator.begin("Looking at %d children as they are restored".formatted(options.measured()));
    return runs.restored(options.measured());
  }

  private record Pooled(
      Optional<Result> result, Optional<Double> fillMs, List<ProcessReading> parked) {
    static final Pooled NO = new Pooled(Optional.empty(), Optional.empty(), List.of());
  }

  private Pooled pooled(
      ForkdRuns runs,
      PoolRun pool,
      DaemonStatus status,
      SnapshotInfo snapshot,
      SpawnOptions options,
      Undo undo) {
    narrator.begin("Filling a pool with %d children".formatted(options.n()));
    try (Undo.Mark _ = pool.resize(options.n(), undo)) {
      double fillMs = pool.awaitFull(options.n());
      List<ProcessReading> parked =
          pool.parked(Path.of(status.run()), (long) snapshot.memoryMib() << 20);
      narrator.begin("Forking %d children from the pool".formatted(options.n()));
      Map<Long, Double> cpuBefore =
          parked.stream().collect(Collectors.toMap(ProcessReading::pid, ProcessReading::cpuMs));
      Result result = runs.measure("forkd-pool", "forkd, from a warm pool", options.n(), cpuBefore);
      return new Pooled(Optional.of(result), Optional.of(fillMs), parked);
    }
  }
}
