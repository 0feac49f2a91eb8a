package io.forkd.cli;

import io.forkd.client.ForkdClient;
import io.forkd.client.SnapshotInfo;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import picocli.CommandLine.Command;

/** {@code forkd images}: lists the snapshots. */
@Command(name = "images", description = "List the snapshots.")
final class ImagesCommand extends ForkdCommand {
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
      return ExitCode.OK;
    }
    if (snapshots.isEmpty()) {
      terminal()
          .err()
          .println(
              "No snapshots yet. Next: forkd snapshot --tag python-numpy --recipe python-numpy");
      return ExitCode.OK;
    }
    Table table = new Table("TAG", ">SIZE", ">MEMORY", ">VCPUS", "SOURCE", ">AGE", "STATUS");
    for (SnapshotInfo snapshot : snapshots) {
      table.row(
          snapshot.tag(),
          Units.bytes(snapshot.memoryPhysicalBytes()),
          snapshot.memoryMib() + " MiB",
          snapshot.vcpus(),
          snapshot.source(),
          Units.age(Duration.between(snapshot.createdAt(), Instant.now())),
          status(snapshot));
    }
    table.print(terminal());
    return ExitCode.OK;
  }

  private String status(SnapshotInfo snapshot) {
    if (snapshot.status().equals("ready") && snapshot.bootable()) {
      return terminal().green("ready");
    }
    String why = snapshot.warning().map(warning -> ": " + warning).orElse("");
    return terminal().yellow(snapshot.bootable() ? snapshot.status() : "not restorable here") + why;
  }
}
