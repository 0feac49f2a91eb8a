package io.forkd.cli;

import io.forkd.client.ForkOutcome;
import io.forkd.client.JsonObject;
import io.forkd.client.SandboxInfo;
import io.forkd.client.SnapshotInfo;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What came of a fork.
 *
 * @param tag the snapshot the children are of
 * @param n how many were asked for
 * @param branch the snapshot, when it was taken for this fork
 */
record ForkReport(
    String tag, int n, ForkOutcome outcome, double wallMs, Optional<SnapshotInfo> branch) {
  private static final int SHOWN_FAILURES = 10;

  ForkReport with(ForkOutcome later) {
    return new ForkReport(tag, n, later, wallMs, branch);
  }

  boolean complete() {
    return alive() == n;
  }

  private int alive() {
    return outcome.sandboxes().size();
  }

  JsonObject json() {
    Map<String, @Nullable Object> facts = new LinkedHashMap<>();
    facts.put("tag", tag);
    facts.put("requested", n);
    facts.put("alive", alive());
    facts.put("wall_ms", wallMs);
    branch.ifPresent(snapshot -> facts.put("snapshot", snapshot.json()));
    facts.put("sandboxes", outcome.sandboxes().stream().map(SandboxInfo::json).toList());
    facts.put("failures", failures());
    return new JsonObject(facts);
  }

  private List<JsonObject> failures() {
    return outcome.failures().stream()
        .map(failure -> JsonObject.ofPairs("index", failure.index(), "error", failure.error()))
        .toList();
  }

  void print(Terminal terminal) {
    branch.ifPresent(snapshot -> terminal.out().println(Branches.sentence(terminal, snapshot)));
    if (!outcome.sandboxes().isEmpty()) {
      Children.print(terminal, outcome.sandboxes());
    }
    terminal
        .out()
        .println(
            "%s of %s alive in %s, %s each. Next: forkd exec ID -- hostname, forkd kill --tag %s"
                .formatted(alive(), n, Units.millis(wallMs), Units.millis(wallMs / n), tag));
    outcome.failures().stream()
        .limit(SHOWN_FAILURES)
        .forEach(
            f ->
                terminal
                    .err()
                    .println("forkd: child %d failed: %s".formatted(f.index(), f.error())));
    int unnamed = n - alive() - Math.min(SHOWN_FAILURES, outcome.failures().size());
    if (unnamed > 0) {
      terminal
          .err()
          .println("forkd: %d more failed. Next: `forkd daemon logs`.".formatted(unnamed));
    }
  }
}
