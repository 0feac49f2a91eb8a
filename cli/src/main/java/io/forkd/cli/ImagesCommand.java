package io.forkd.cli;

import io.forkd.client.ForkdClient;
import io.forkd.client.SnapshotInfo;
import java.time.Instant;
import java.util.List;
import picocli.CommandLine.Command;

/** {@code forkd images}: lists the snapshots. */
@Command(name = "images", description = "List the snapshots.")
final class ImagesCommand extends ForkdCommand {
  static final String NONE_YET =
      "No snapshots yet. Next: forkd snapshot --tag python-numpy --recipe python-numpy";

  ImagesCommand(Context context) {
    super(context);
  }

  @Override
  public Integer call() {
    List<SnapshotInfo> snapshots;
    try (ForkdClient client = daemon()) {
      snapshots = client.snapshots();
    }
    if (json) {
      terminal().json(snapshots.stream().map(SnapshotInfo::json).toList());
    } else if (snapshots.isEmpty()) {
      terminal().err().println(NONE_YET);
    } else {
      print(snapshots);
    }
    return ExitCode.OK;
  }

  private void print(List<SnapshotInfo> snapshots) {
    Table table =
        new Table(
            "TAG", "PARENT", ">DEPTH", ">SIZE", ">DELTA", ">MEMORY", "SOURCE", ">AGE", "STATUS");
    Instant now = Instant.now();
    for (SnapshotInfo snapshot : snapshots) {
      table.row(
          snapshot.tag(),
          snapshot.parentTag().orElse("–"),
          snapshot.chainDepth(),
          Units.bytes(snapshot.memoryPhysicalBytes()),
          snapshot.diffLogicalBytes().map(Units::bytes).orElse("–"),
          snapshot.memoryMib() + " MiB",
          snapshot.branchedFrom().orElse(snapshot.source()),
          SnapshotState.age(snapshot, now),
          SnapshotState.words(terminal(), snapshot));
    }
    table.print(terminal());
  }
}
