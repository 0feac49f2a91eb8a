package io.forkd.cli;

import io.forkd.base.Tag;
import io.forkd.client.ForkdClient;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code forkd rmi}: removes snapshots. */
@Command(name = "rmi", description = "Remove snapshots.")
final class RmiCommand extends ForkdCommand {
  @Parameters(arity = "1..*", paramLabel = "TAG", description = "The snapshots to remove.")
  private List<String> tags = new ArrayList<>();

  RmiCommand(Context context) {
    super(context);
  }

  @Override
  public Integer call() {
    tags.forEach(Tag::of);
    try (ForkdClient client = daemon()) {
      return Each.of(terminal(), json, "removed", tags, client::removeSnapshot);
    }
  }
}
