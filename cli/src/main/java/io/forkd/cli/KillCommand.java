package io.forkd.cli;

import io.forkd.base.SandboxId;
import io.forkd.client.ForkdClient;
import io.forkd.client.SandboxInfo;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code forkd kill}: ends sandboxes. */
@Command(name = "kill", description = "End sandboxes: by id, all of a snapshot, or all.")
final class KillCommand extends ForkdCommand {
  @Parameters(arity = "0..*", paramLabel = "ID", description = "The sandboxes to end.")
  private List<String> ids = new ArrayList<>();

  @Option(names = "--all", description = "End every sandbox.")
  private boolean all;

  @Option(names = "--tag", paramLabel = "TAG", description = "End the children of this snapshot.")
  private Optional<String> tag = Optional.empty();

  KillCommand(Context context) {
    super(context);
  }

  @Override
  public Integer call() {
    int ways = (ids.isEmpty() ? 0 : 1) + (all ? 1 : 0) + (tag.isPresent() ? 1 : 0);
    if (ways != 1) {
      throw new CliException(
          ExitCode.USAGE, "Name what to end: ids, --tag TAG or --all, one of them.");
    }
    ids.forEach(SandboxId::of);
    try (ForkdClient client = daemon()) {
      List<String> doomed =
          ids.isEmpty()
              ? client.sandboxes().stream()
                  .filter(sandbox -> all || tag.orElse("").equals(sandbox.snapshotTag()))
                  .map(SandboxInfo::id)
                  .toList()
              : ids;
      if (doomed.isEmpty() && !json) {
        terminal().err().println("Nothing to end: no such sandbox runs.");
      }
      return Each.of(terminal(), json, "killed", doomed, client::kill);
    }
  }
}
