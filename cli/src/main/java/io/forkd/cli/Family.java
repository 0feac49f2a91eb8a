package io.forkd.cli;

import io.forkd.client.SandboxInfo;
import io.forkd.client.SnapshotInfo;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * Snapshots under their parents and sandboxes under the snapshots they came from.
 *
 * @param nodes by tag, the oldest first; also tags that are only pointed at
 * @param roots where to start so that every node is reached, whatever points at what
 */
record Family(Map<String, Node> nodes, List<String> roots) {
  Family {
    nodes = Collections.unmodifiableMap(new LinkedHashMap<>(nodes));
    roots = List.copyOf(roots);
  }

  /**
   * A snapshot and what is based on it.
   *
   * @param snapshot empty when it is missing
   * @param sandboxes its running children
   * @param children the tags of the snapshots whose parent it is
   */
  record Node(
      String tag,
      Optional<SnapshotInfo> snapshot,
      List<SandboxInfo> sandboxes,
      List<String> children) {
    Node {
      sandboxes = List.copyOf(sandboxes);
      children = List.copyOf(children);
    }
  }

  static Family of(List<SnapshotInfo> snapshots, List<SandboxInfo> sandboxes) {
    Map<String, Optional<SnapshotInfo>> known = new LinkedHashMap<>();
    Map<String, List<String>> children = new HashMap<>();
    snapshots.stream()
        .sorted(Comparator.comparing(SnapshotInfo::createdAt).thenComparing(SnapshotInfo::tag))
        .forEach(
            snapshot -> {
              known.put(snapshot.tag(), Optional.of(snapshot));
              snapshot.parentTag().ifPresent(parent -> add(children, parent, snapshot.tag()));
            });
    Map<String, List<SandboxInfo>> running = new HashMap<>();
    sandboxes.stream()
        .sorted(Comparator.comparing(SandboxInfo::createdAt).thenComparing(SandboxInfo::id))
        .forEach(sandbox -> add(running, sandbox.snapshotTag(), sandbox));
    Set<String> pointedAt = new TreeSet<>(children.keySet());
    pointedAt.addAll(running.keySet());
    pointedAt.forEach(tag -> known.putIfAbsent(tag, Optional.empty()));
    Map<String, Node> nodes = new LinkedHashMap<>();
    known.forEach(
        (tag, snapshot) ->
            nodes.put(
                tag,
                new Node(
                    tag,
                    snapshot,
                    running.getOrDefault(tag, List.of()),
                    children.getOrDefault(tag, List.of()))));
    return new Family(nodes, roots(nodes));
  }

  private static <T> void add(Map<String, List<T>> lists, String key, T item) {
    lists.computeIfAbsent(key, k -> new ArrayList<>()).add(item);
  }

  private static Optional<String> parentOf(Node node) {
    return node.snapshot().flatMap(SnapshotInfo::parentTag);
  }

  private static List<String> roots(Map<String, Node> nodes) {
    List<String> roots = new ArrayList<>();
    Set<String> reached = new HashSet<>();
    for (Node node : nodes.values()) {
      if (parentOf(node).isEmpty()) {
        roots.add(node.tag());
        reach(node.tag(), nodes, reached);
      }
    }
    // Damaged snapshots may be each other's parents.
    for (String tag : nodes.keySet()) {
      if (!reached.contains(tag)) {
        roots.add(tag);
        reach(tag, nodes, reached);
      }
    }
    return roots;
  }

  private static void reach(String root, Map<String, Node> nodes, Set<String> reached) {
    Deque<String> open = new ArrayDeque<>(List.of(root));
    while (!open.isEmpty()) {
      String tag = open.pop();
      Node node = nodes.get(tag);
      if (node != null && reached.add(tag)) {
        open.addAll(node.children());
      }
    }
  }
}
