package io.forkd.cli;

import io.forkd.base.SandboxId;
import io.forkd.client.ForkdClient;
import io.forkd.client.SandboxInfo;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The sandboxes a command is about: by id, by snapshot, by label, or all. */
final class SandboxChoice {
  @Parameters(arity = "0..*", paramLabel = "ID", description = "The sandboxes.")
  private List<String> ids = new ArrayList<>();

  @Option(names = "--all", description = "Every sandbox.")
  private boolean all;

  @Option(names = "--tag", paramLabel = "TAG", description = "The children of this snapshot.")
  private Optional<String> tag = Optional.empty();

  @Option(
      names = "--with-label",
      paramLabel = "NAME=VALUE",
      description = "Those that have this label; repeated, all of them.")
  private List<String> labels = new ArrayList<>();

  /** Refuses what names nothing, or the same thing in two ways. */
  void requireSense() {
    boolean byFilter = tag.isPresent() || !labels.isEmpty();
    int ways = (ids.isEmpty() ? 0 : 1) + (all ? 1 : 0) + (byFilter ? 1 : 0);
    if (ways != 1) {
      throw CliException.usage(
          "Name the sandboxes: ids, --tag TAG and --with-label NAME=VALUE, or --all, one of these"
              + " ways.");
    }
    ids.forEach(SandboxId::of);
    Labels.parse(labels);
  }

  List<String> find(ForkdClient client) {
    if (!ids.isEmpty()) {
      return List.copyOf(ids);
    }
    Map<String, String> wanted = Labels.parse(labels);
    return client.sandboxes(wanted).stream()
        .filter(sandbox -> tag.isEmpty() || tag.get().equals(sandbox.snapshotTag()))
        .map(SandboxInfo::id)
        .toList();
  }
}
