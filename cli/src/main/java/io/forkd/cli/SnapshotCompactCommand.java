package io.forkd.cli;

import io.forkd.base.Tag;
import io.forkd.client.ForkdClient;
import io.forkd.client.SnapshotInfo;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code forkd snapshot-compact}: makes a snapshot without a parent out of a chain. */
@Command(
    name = "snapshot-compact",
    description = "Make a snapshot that needs no parent out of one that does.")
final class SnapshotCompactCommand extends ForkdCommand {
  @Option(names = "--from", required = true, paramLabel = "TAG", description = "The snapshot.")
  private String from = "";

  @Option(names = "--to", required = true, paramLabel = "TAG", description = "The flat one's name.")
  private String to = "";

  SnapshotCompactCommand(Context context) {
    super(context);
  }

  @Override
  public Integer call() {
    Tag.of(from);
    Tag.of(to);
    if (from.equals(to)) {
      throw CliException.usage(
          "--from and --to are both %s: give the flat snapshot a tag of its own.".formatted(to));
    }
    SnapshotInfo flat;
    try (ForkdClient client = daemon();
        Steps steps = new Steps(terminal())) {
      steps.begin("compact", "Flattening %s to %s".formatted(from, to));
      flat = client.compact(from, to);
    }
    if (json) {
      terminal().json(flat.json());
    } else {
      terminal()
          .out()
          .println(
              "Snapshot %s: all of %s in %s, without a parent. Next: forkd fork --tag %s, forkd rmi %s"
                  .formatted(
                      terminal().bold(flat.tag()),
                      from,
                      Units.bytes(flat.memoryPhysicalBytes()),
                      flat.tag(),
                      from));
    }
    return ExitCode.OK;
  }
}
