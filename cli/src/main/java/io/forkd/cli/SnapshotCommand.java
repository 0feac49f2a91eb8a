package io.forkd.cli;

import io.forkd.base.Tag;
import io.forkd.client.ForkdClient;
import io.forkd.client.SnapshotInfo;
import io.forkd.client.SnapshotRequest;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code forkd snapshot}: boots and warms a parent and keeps it under a tag. */
@Command(name = "snapshot", description = "Boot and warm a parent, and keep it as a snapshot.")
final class SnapshotCommand extends ForkdCommand {
  @Option(
      names = "--tag",
      required = true,
      paramLabel = "TAG",
      description = "The snapshot's name.")
  private String tag = "";

  @Option(names = "--recipe", paramLabel = "NAME", description = "A recipe's name or file.")
  private Optional<String> recipe = Optional.empty();

  @Option(
      names = "--kernel",
      paramLabel = "FILE",
      description = "A kernel image; default: forkd's own.")
  private Optional<Path> kernel = Optional.empty();

  @Option(
      names = "--rootfs",
      paramLabel = "PATH",
      description = "A root filesystem: image file or folder.")
  private Optional<Path> rootfs = Optional.empty();

  @Option(
      names = "--memory-mib",
      paramLabel = "M",
      description = "Guest memory; default: the recipe's, or 512.")
  private Optional<Integer> memoryMib = Optional.empty();

  @Option(
      names = "--vcpus",
      paramLabel = "N",
      description = "Virtual CPUs; default: the recipe's, or 1.")
  private Optional<Integer> vcpus = Optional.empty();

  @Option(
      names = "--warmup",
      paramLabel = "CODE",
      description = "What to run before the snapshot is taken.")
  private Optional<String> warmup = Optional.empty();

  @Option(
      names = "--boot-wait-secs",
      paramLabel = "S",
      description = "How long the guest may take to be ready.")
  private Optional<Integer> bootWaitSecs = Optional.empty();

  SnapshotCommand(Context context) {
    super(context);
  }

  @Override
  public Integer call() {
    Tag.of(tag);
    if (recipe.isPresent() == rootfs.isPresent()) {
      throw new CliException(
          ExitCode.USAGE,
          "Say what the guest is made of: --recipe NAME, or --rootfs PATH with or without --kernel FILE.");
    }
    SnapshotRequest request =
        new SnapshotRequest(
            tag,
            recipe.map(SnapshotCommand::absoluteWhenFile),
            kernel.map(path -> path.toAbsolutePath().toString()),
            rootfs.map(path -> path.toAbsolutePath().toString()),
            memoryMib,
            vcpus,
            warmup,
            bootWaitSecs);
    SnapshotInfo snapshot;
    try (ForkdClient client = daemon();
        Steps steps = new Steps(terminal())) {
      steps.begin("ask", "Making snapshot " + tag);
      snapshot = client.createSnapshot(request, steps);
    }
    if (json) {
      terminal().json(snapshot.json());
    } else {
      terminal()
          .out()
          .println(
              "Snapshot %s: %s of memory image in %s. Next: forkd fork --tag %s -n 10"
                  .formatted(
                      terminal().bold(snapshot.tag()),
                      Units.bytes(snapshot.memoryPhysicalBytes()),
                      snapshot.dir(),
                      snapshot.tag()));
      snapshot
          .warning()
          .ifPresent(w -> terminal().err().println(terminal().yellow("warning: ") + w));
    }
    return ExitCode.OK;
  }

  /** The daemon's working folder is not ours, so a file is named in full. */
  private static String absoluteWhenFile(String recipe) {
    Path path = Path.of(recipe);
    return recipe.contains("/") || Files.isRegularFile(path)
        ? path.toAbsolutePath().normalize().toString()
        : recipe;
  }
}
