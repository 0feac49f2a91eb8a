package io.forkd.cli;

import io.forkd.base.SandboxId;
import io.forkd.base.Tag;
import io.forkd.client.BranchMode;
import io.forkd.client.ForkdClient;
import io.forkd.client.SnapshotInfo;
import io.forkd.client.SnapshotRequest;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code forkd snapshot}: boots and warms a parent, or branches a sandbox, and keeps it. */
@Command(
    name = "snapshot",
    description = "Boot and warm a parent, and keep it as a snapshot; or branch a sandbox.")
final class SnapshotCommand extends ForkdCommand {
  @Option(
      names = "--tag",
      paramLabel = "TAG",
      description = "The snapshot's name; a branch may go without.")
  private Optional<String> tag = Optional.empty();

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

  @Option(
      names = "--from-sandbox",
      paramLabel = "ID",
      description = "Branch this running sandbox, as `forkd branch` does, instead of booting.")
  private Optional<String> fromSandbox = Optional.empty();

  @Option(names = "--diff", description = "Branch in mode diff.")
  private boolean diff;

  @Option(names = "--live", description = "Branch in mode live.")
  private boolean live;

  @Mixin private BranchOptions branchOptions = new BranchOptions();

  SnapshotCommand(Context context) {
    super(context);
  }

  @Override
  public Integer call() {
    tag.ifPresent(Tag::of);
    return fromSandbox.isPresent() ? branch(fromSandbox.get()) : boot();
  }

  private int branch(String id) {
    SandboxId.of(id);
    if (Stream.of(recipe, kernel, rootfs, memoryMib, vcpus, warmup, bootWaitSecs)
        .anyMatch(Optional::isPresent)) {
      throw CliException.usage(
          "A branch is made of its sandbox: with --from-sandbox leave out --recipe, --kernel, --rootfs,"
              + " --memory-mib, --vcpus, --warmup and --boot-wait-secs.");
    }
    if (diff && live) {
      throw CliException.usage("--diff and --live exclude each other: use one, or none.");
    }
    Optional<BranchMode> mode =
        live
            ? Optional.of(BranchMode.LIVE)
            : diff ? Optional.of(BranchMode.DIFF) : Optional.empty();
    return Branches.take(this, id, branchOptions.request(tag, mode));
  }

  private int boot() {
    if (diff || live || branchOptions.given()) {
      throw CliException.usage(
          "--diff, --live, --no-wait, --ttl and --keep-last are for branches: add --from-sandbox ID.");
    }
    String name = tag.orElseThrow(() -> CliException.usage("Name the snapshot: --tag TAG."));
    if (recipe.isPresent() == rootfs.isPresent()) {
      throw CliException.usage(
          "Say what the guest is made of: --recipe NAME, or --rootfs PATH with or without --kernel FILE.");
    }
    SnapshotRequest request = request(name);
    SnapshotInfo snapshot;
    try (ForkdClient client = daemon();
        Steps steps = new Steps(terminal())) {
      steps.begin("ask", "Making snapshot " + name);
      snapshot = client.createSnapshot(request, steps);
    }
    report(snapshot);
    return ExitCode.OK;
  }

  private SnapshotRequest request(String name) {
    return new SnapshotRequest(
        name,
        recipe.map(SnapshotCommand::absoluteWhenFile),
        kernel.map(path -> path.toAbsolutePath().toString()),
        rootfs.map(path -> path.toAbsolutePath().toString()),
        memoryMib,
        vcpus,
        warmup,
        bootWaitSecs);
  }

  private void report(SnapshotInfo snapshot) {
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
  }

  /** The daemon's working folder is not ours, so a file is named in full. */
  private static String absoluteWhenFile(String recipe) {
    Path path = Path.of(recipe);
    return recipe.contains("/") || Files.isRegularFile(path)
        ? path.toAbsolutePath().normalize().toString()
        : recipe;
  }
}
