package io.forkd.cli;

import io.forkd.base.Tag;
import io.forkd.client.ForkdClient;
import io.forkd.client.SnapshotInfo;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code forkd rmi}: removes snapshots. */
@Command(name = "rmi", description = "Remove snapshots that no other depends on.")
final class RmiCommand extends ForkdCommand {
  @Parameters(arity = "1..*", paramLabel = "TAG", description = "The snapshots to remove.")
  private List<String> tags = new ArrayList<>();

  @Option(names = "--cascade", description = "Remove those that depend on them too.")
  private boolean cascade;

  @Option(names = "--force", description = "Leave those that depend on them behind, broken.")
  private boolean force;

  RmiCommand(Context context) {
    super(context);
  }

  @Override
  public Integer call() {
    tags.forEach(Tag::of);
    if (cascade && force) {
      throw CliException.usage(
          "--cascade and --force exclude each other: the first removes what depends on a snapshot,"
              + " the second breaks it.");
    }
    try (ForkdClient client = daemon()) {
      List<SnapshotInfo> before = cascade || tags.size() > 1 ? client.snapshots() : List.of();
      return Each.inTurn(
          terminal(), json, "removed", childrenFirst(before), tag -> remove(client, tag, before));
    }
  }

  /** So that a family can be named in any order. */
  private List<String> childrenFirst(List<SnapshotInfo> snapshots) {
    Map<String, Integer> depths = new HashMap<>();
    snapshots.forEach(snapshot -> depths.put(snapshot.tag(), snapshot.chainDepth()));
    return tags.stream()
        .distinct()
        .sorted(Comparator.comparing((String tag) -> depths.getOrDefault(tag, 0)).reversed())
        .toList();
  }

  private List<String> remove(ForkdClient client, String tag, List<SnapshotInfo> before) {
    client.removeSnapshot(tag, cascade, force);
    return cascade ? withDependents(tag, before) : List.of(tag);
  }

  private static List<String> withDependents(String tag, List<SnapshotInfo> before) {
    List<String> gone = new ArrayList<>(List.of(tag));
    for (int i = 0; i < gone.size(); i++) {
      String parent = gone.get(i);
      before.stream()
          .filter(snapshot -> snapshot.parentTag().filter(parent::equals).isPresent())
          .map(SnapshotInfo::tag)
          .filter(child -> !gone.contains(child))
          .forEach(gone::add);
    }
    return gone;
  }
}
