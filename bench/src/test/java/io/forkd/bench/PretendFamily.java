package io.forkd.bench;

import static io.forkd.bench.PretendDaemon.json;

import io.forkd.client.JsonObject;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The sandboxes and branches of a pretended daemon, which guards them from several threads. */
final class PretendFamily {
  private static final int LOOKS_UNTIL_WRITTEN = 2;

  /** A branch that was taken; how often somebody must still look until it is on disk. */
  private static final class Branch {
    final String tag;
    final String parent;
    final int depth;
    final JsonObject json;
    int looks = LOOKS_UNTIL_WRITTEN;

    Branch(String tag, String parent, int depth, JsonObject json) {
      this.tag = tag;
      this.parent = parent;
      this.depth = depth;
      this.json = json;
    }
  }

  private final Map<String, String> tags = new LinkedHashMap<>();
  private final Map<String, Branch> branches = new LinkedHashMap<>();
  private final List<String> sources = new ArrayList<>();
  private final List<String> codes = new ArrayList<>();
  private Set<String> modes = Set.of("full", "diff", "live");
  private int availableMib = 400;
  private int pausesTaken;
  private int forked;
  private int mostLiving;
  private long written;
  private int branchesUntilRefused = Integer.MAX_VALUE;
  private int branchesUntilHangUp = Integer.MAX_VALUE;
  private long deltaBytes = 500L << 20;
  private boolean writes = true;

  void availableMib(int mib) {
    availableMib = mib;
  }

  /** A branch in another mode silently becomes a diff. */
  void modes(Set<String> possible) {
    modes = possible;
  }

  /** The branch after so many is refused, and all that follow. */
  void refuseBranchAfter(int count) {
    branchesUntilRefused = count;
  }

  /** The branch after so many is taken but the answer lost. */
  void hangUpAfterBranch(int count) {
    branchesUntilHangUp = count;
  }

  void deltaBytes(long bytes) {
    deltaBytes = bytes;
  }

  void writersDie() {
    writes = false;
  }

  /** The tags of branches that are there. */
  synchronized Set<String> branches() {
    return Set.copyOf(branches.keySet());
  }

  /** The chain depth of the source of every fan-out, in order. */
  synchronized List<String> sources() {
    return List.copyOf(sources);
  }

  synchronized List<String> codes() {
    return List.copyOf(codes);
  }

  synchronized Set<String> living() {
    return Set.copyOf(tags.keySet());
  }

  synchronized int mostLiving() {
    return mostLiving;
  }

  synchronized void kill(String id) {
    tags.remove(id);
  }

  synchronized List<JsonObject> sandboxes() {
    return tags.keySet().stream().map(this::sandbox).toList();
  }

  synchronized List<JsonObject> snapshots(JsonObject base) {
    Stream<JsonObject> taken = branches.values().stream().map(PretendFamily::looked);
    return Stream.concat(Stream.of(base), taken).toList();
  }

  private static JsonObject looked(Branch branch) {
    boolean writing = branch.looks-- > 0;
    return JsonObject.ofPairs("tag", branch.tag, "status", writing ? "writing" : "ready");
  }

  synchronized List<JsonObject> fork(String tag, int n, UnaryOperator<JsonObject> decorate) {
    List<JsonObject> children =
        IntStream.range(0, n)
            .mapToObj(_ -> "sb-0123456789-%04d".formatted(forked++))
            .peek(id -> tags.put(id, tag))
            .map(id -> decorate.apply(sandbox(id)))
            .toList();
    mostLiving = Math.max(mostLiving, tags.size());
    return children;
  }

  private JsonObject sandbox(String id) {
    return JsonObject.ofPairs(
        "id",
        id,
        "snapshot_tag",
        tags.get(id),
        "pid",
        ProcessHandle.current().pid(),
        "phases_ms",
        JsonObject.ofPairs("spawn", 5.0, "total", 9.5));
  }

  synchronized String branch(String id, JsonObject body) {
    return taken(id, body, JsonObject::toString);
  }

  synchronized String fanOut(String id, JsonObject body) {
    sources.add(depth(tagOf(id)) + "×" + body.integer("n"));
    return taken(
        id,
        body,
        snapshot ->
            JsonObject.ofPairs(
                    "snapshot",
                    snapshot,
                    "sandboxes",
                    fork(body.text("tag"), body.integer("n"), it -> it),
                    "failures",
                    List.of())
                .toString());
  }

  private String taken(
      String id, JsonObject body, java.util.function.Function<JsonObject, String> answer) {
    if (branchesUntilRefused-- <= 0) {
      return json(503, JsonObject.ofPairs("error", "the host is full"));
    }
    String parent = tagOf(id);
    String asked = body.optionalText("mode").orElse("live");
    Branch branch =
        new Branch(
            body.text("tag"),
            parent,
            depth(parent) + 1,
            JsonObject.ofPairs(
                "tag",
                body.text("tag"),
                "mode",
                modes.contains(asked) ? asked : "diff",
                "pause_ms",
                1.0 + pausesTaken++,
                "diff_ms",
                20.0,
                "diff_logical_bytes",
                deltaBytes,
                "chain_depth",
                depth(parent) + 1));
    branches.put(branch.tag, branch);
    String text = answer.apply(branch.json);
    return branchesUntilHangUp-- == 0 ? "" : json(201, text);
  }

  private String tagOf(String id) {
    return Optional.ofNullable(tags.get(id)).orElseThrow();
  }

  private int depth(String tag) {
    @Nullable Branch branch = branches.get(tag);
    return branch == null ? 0 : branch.depth;
  }

  synchronized String remove(String tag) {
    @Nullable Branch branch = branches.get(tag);
    if (branch == null) {
      return json(404, JsonObject.ofPairs("error", "no snapshot " + tag));
    }
    List<String> dependents =
        branches.values().stream().filter(it -> it.parent.equals(tag)).map(it -> it.tag).toList();
    if (!dependents.isEmpty() || branch.looks > 0 || tags.containsValue(tag)) {
      return json(409, JsonObject.ofPairs("error", tag + " is in use: " + dependents));
    }
    branches.remove(tag);
    return json(204, "");
  }

  synchronized String eval(String id, String code) {
    codes.add(id + " " + code);
    if (code.contains("MemAvailable")) {
      return "" + availableMib;
    }
    if (code.equals("_forkd_bench.rest()") && writes) {
      written += 1 << 17;
    }
    return code.matches("_forkd_bench\\.(write|rest)\\(.*") ? "" + written : "";
  }
}
