package io.forkd.bench;

import io.forkd.base.ErrorCode;
import io.forkd.base.ForkdException;
import io.forkd.client.DaemonStatus;
import io.forkd.client.ForkdClient;
import io.forkd.client.SnapshotInfo;
import java.nio.file.Files;
import java.nio.file.Path;

/** What a benchmark asks a daemon before it begins. */
final class Daemons {
  private Daemons() {}

  static SnapshotInfo snapshot(ForkdClient client, String tag) {
    SnapshotInfo found =
        client.snapshots().stream()
            .filter(snapshot -> snapshot.tag().equals(tag))
            .findFirst()
            .orElseThrow(
                () ->
                    ForkdException.notFound(
                        "There is no snapshot '%s'. Next: `forkd images`, or make it with `forkd snapshot --tag %s --recipe python-numpy`.",
                        tag, tag));
    if (!found.runtimes().contains("python")) {
      throw ForkdException.badRequest(
          "The snapshot '%s' has no Python runtime, and the workload is a line of Python. Next: use one made from the recipe python-numpy.",
          tag);
    }
    return found;
  }

  static DaemonStatus localStatus(ForkdClient client) {
    DaemonStatus status = client.status();
    if (!Files.isDirectory(Path.of("/proc", Long.toString(status.pid())))
        || !Files.isDirectory(Path.of(status.run()))) {
      throw new ForkdException(
          ErrorCode.BAD_REQUEST,
          "The daemon runs on another host (no process %d, no folder %s here), and its children's memory can be read there only. Next: run the benchmark on that host."
              .formatted(status.pid(), status.run()));
    }
    return status;
  }
}
