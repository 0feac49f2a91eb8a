package io.forkd.bench;

import io.forkd.base.ForkdException;
import io.forkd.client.DaemonStatus;
import io.forkd.client.SnapshotInfo;
import io.forkd.linux.Cgroups;
import java.nio.file.Path;
import java.util.List;

/** Runs the same workload in other programs from Debian, one program after the other. */
final class Peers {
  private final DaemonStatus status;
  private final SnapshotInfo snapshot;
  private final SpawnOptions options;
  private final Undo undo;
  private final Narrator narrator;

  Peers(
      DaemonStatus status,
      SnapshotInfo snapshot,
      SpawnOptions options,
      Undo undo,
      Narrator narrator) {
    this.status = status;
    this.snapshot = snapshot;
    this.options = options;
    this.undo = undo;
    this.narrator = narrator;
  }

  /** Adds a result per peer, also for those that are missing or fail; tells their versions. */
  Machine run(Machine machine, List<Result> results) {
    GuestFiles files = GuestFiles.of(Path.of(snapshot.dir()), Path.of(status.data()));
    Machine known = machine;
    for (Peer peer : peers(files)) {
      if (!peer.installed()) {
        String why = "not installed; next: apt-get install %s".formatted(peer.debianPackage());
        narrator.warn("%s is %s".formatted(peer.name(), why));
        results.add(Result.missing(peer.name(), why));
        continue;
      }
      try (WorkFolder folder = WorkFolder.make(undo)) {
        Path work = folder.path();
        Settling.pause();
        known = known.with(peer.name(), peer.version(work));
        results.add(peer.run(work, narrator));
      } catch (ForkdException e) {
        String why = String.valueOf(e.getMessage());
        narrator.warn("%s: %s".formatted(peer.name(), why));
        results.add(Result.missing(peer.name(), "failed: " + why));
      }
    }
    return known;
  }

  private List<Peer> peers(GuestFiles files) {
    int n = options.peerN().orElse(options.n());
    int parallel = options.parallel();
    int boots = options.boots().orElse(Math.min(options.n(), parallel));
    boolean kvm = Machine.usesKvm(snapshot);
    return List.of(
        new ContainerPeer(ContainerRuntime.crun(Cgroups.detect()), files.root(), n, parallel, undo),
        new ContainerPeer(ContainerRuntime.runsc(), files.root(), n, parallel, undo),
        new ColdBootPeer(files, kvm, snapshot.memoryMib(), boots, parallel, undo));
  }
}
