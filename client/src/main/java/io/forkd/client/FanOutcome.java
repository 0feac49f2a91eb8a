package io.forkd.client;

import java.util.List;

/**
 * A branch and its first children.
 *
 * @param json all the daemon said, fields unknown here included
 */
public record FanOutcome(SnapshotInfo snapshot, ForkOutcome children, JsonObject json) {
  static FanOutcome from(JsonObject json) {
    List<SandboxInfo> sandboxes =
        json.objects("sandboxes").stream().map(SandboxInfo::from).toList();
    List<ForkOutcome.Failure> failures =
        json.objects("failures").stream().map(ForkOutcome.Failure::from).toList();
    return new FanOutcome(
        SnapshotInfo.from(json.requiredObject("snapshot")),
        new ForkOutcome(sandboxes, failures),
        json);
  }
}
