package io.forkd.cli;

import io.forkd.client.ForkdClient;
import io.forkd.client.JsonObject;
import io.forkd.client.SandboxInfo;
import io.forkd.client.SnapshotInfo;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;

/** {@code forkd tree}: shows the family of snapshots, branches and sandboxes. */
@Command(name = "tree", description = "Show snapshots, branches and sandboxes as a family tree.")
final class TreeCommand extends ForkdCommand {
  TreeCommand(Context context) {
    super(context);
  }

  @Override
  public Integer call() {
    List<SnapshotInfo> snapshots;
    List<SandboxInfo> sandboxes;
    try (ForkdClient client = daemon()) {
      snapshots = client.snapshots();
      sandboxes = client.sandboxes();
    }
    if (json) {
      terminal().json(json(Family.of(snapshots, sandboxes), sandboxes));
    } else if (snapshots.isEmpty() && sandboxes.isEmpty()) {
      terminal().err().println(ImagesCommand.NONE_YET);
    } else {
      FamilyTree.lines(snapshots, sandboxes, Instant.now(), terminal())
          .forEach(terminal().out()::println);
    }
    return ExitCode.OK;
  }

  // By name and not nested: readers of JSON have limits on depth, chains have none.
  private static JsonObject json(Family family, List<SandboxInfo> sandboxes) {
    return JsonObject.ofPairs(
        "roots",
        family.roots(),
        "snapshots",
        family.nodes().values().stream().map(TreeCommand::json).toList(),
        "sandboxes",
        sandboxes.stream().map(SandboxInfo::json).toList());
  }

  private static Map<String, @Nullable Object> json(Family.Node node) {
    Map<String, @Nullable Object> facts = new LinkedHashMap<>();
    facts.put("tag", node.tag());
    node.snapshot().ifPresent(snapshot -> facts.putAll(snapshot.json().values()));
    facts.put("missing", node.snapshot().isEmpty());
    facts.put("children", node.children());
    facts.put("sandboxes", node.sandboxes().stream().map(SandboxInfo::id).toList());
    return facts;
  }
}
