package io.forkd.cli;

import io.forkd.base.Tag;
import io.forkd.client.ForkdClient;
import io.forkd.client.SnapshotDetail;
import io.forkd.client.SnapshotInfo;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code forkd snapshot-info}: says all there is to know about a snapshot. */
@Command(
    name = "snapshot-info",
    description = "Say all about a snapshot: chain, dependents, children, sizes, hashes.")
final class SnapshotInfoCommand extends ForkdCommand {
  @Parameters(index = "0", paramLabel = "TAG", description = "The snapshot.")
  private String tag = "";

  SnapshotInfoCommand(Context context) {
    super(context);
  }

  @Override
  public Integer call() {
    Tag.of(tag);
    SnapshotDetail detail;
    try (ForkdClient client = daemon()) {
      detail = client.snapshotInfo(tag);
    }
    if (json) {
      terminal().json(detail.json());
    } else {
      facts(detail, Instant.now())
          .forEach(
              (name, fact) ->
                  terminal()
                      .out()
                      .println(terminal().faint("%-13s".formatted(name)) + "  " + fact));
    }
    return ExitCode.OK;
  }

  private Map<String, String> facts(SnapshotDetail detail, Instant now) {
    SnapshotInfo snapshot = detail.snapshot();
    Map<String, String> facts = new LinkedHashMap<>();
    facts.put("tag", terminal().bold(snapshot.tag()));
    facts.put("status", SnapshotState.words(terminal(), snapshot));
    facts.put("age", SnapshotState.age(snapshot, now));
    snapshot.expiresAt().ifPresent(end -> facts.put("collected", SnapshotState.left(end, now)));
    snapshot
        .branchedFrom()
        .ifPresent(sandbox -> facts.put("branched from", sandbox + ": " + taken(snapshot)));
    facts.put("depth", String.valueOf(snapshot.chainDepth()));
    facts.put("chain", chain(detail));
    facts.put("dependents", names(detail.dependents()));
    facts.put("sandboxes", names(detail.sandboxes()));
    facts.put("guest", guest(snapshot));
    facts.put("source", snapshot.source());
    facts.put("on disk", sizes(detail));
    facts.put("content hash", snapshot.contentHash());
    detail.parentContentHash().ifPresent(hash -> facts.put("parent hash", hash));
    facts.put("folder", snapshot.dir());
    return facts;
  }

  private static String taken(SnapshotInfo snapshot) {
    String copied = snapshot.diffMs().map(ms -> ", copied in " + Units.millis(ms)).orElse("");
    return Branches.taken(snapshot) + copied;
  }

  private String chain(SnapshotDetail detail) {
    List<String> chain = new ArrayList<>(detail.ancestors());
    chain.add(terminal().bold(detail.snapshot().tag()));
    return String.join(" → ", chain);
  }

  private static String names(List<String> names) {
    return names.isEmpty() ? "none" : String.join(", ", names);
  }

  private static String guest(SnapshotInfo snapshot) {
    return "%d MiB, %d vCPU, %s, %s, %s"
        .formatted(
            snapshot.memoryMib(),
            snapshot.vcpus(),
            snapshot.arch(),
            snapshot.vmm(),
            snapshot.machine());
  }

  private static String sizes(SnapshotDetail detail) {
    SnapshotInfo snapshot = detail.snapshot();
    return "%s of %s of %s, %s of device state"
        .formatted(
            Units.bytes(snapshot.memoryPhysicalBytes()),
            snapshot.parentTag().isPresent() ? "delta" : "memory",
            Units.bytes(snapshot.memoryLogicalBytes()),
            Units.bytes(detail.vmstateBytes()));
  }
}
