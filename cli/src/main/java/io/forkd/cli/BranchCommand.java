package io.forkd.cli;

import io.forkd.base.SandboxId;
import io.forkd.base.Tag;
import io.forkd.client.BranchMode;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code forkd branch}: makes a snapshot of a running sandbox. */
@Command(
    name = "branch",
    description = "Make a snapshot of a running sandbox, which pauses for milliseconds.")
final class BranchCommand extends ForkdCommand {
  @Parameters(index = "0", paramLabel = "ID", description = "The sandbox.")
  private String id = "";

  @Option(names = "--tag", paramLabel = "TAG", description = "The snapshot's name.")
  private Optional<String> tag = Optional.empty();

  @Option(
      names = "--mode",
      paramLabel = "MODE",
      converter = BranchModeConverter.class,
      description = "full, diff or live; default: the best the host can do.")
  private Optional<BranchMode> mode = Optional.empty();

  @Mixin private BranchOptions options = new BranchOptions();

  BranchCommand(Context context) {
    super(context);
  }

  @Override
  public Integer call() {
    SandboxId.of(id);
    tag.ifPresent(Tag::of);
    return Branches.take(this, id, options.request(tag, mode));
  }
}
