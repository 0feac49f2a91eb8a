package io.forkd.cli;

import io.forkd.client.SandboxInfo;
import io.forkd.client.SnapshotInfo;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** A family drawn as a tree, in lines. */
final class FamilyTree {
  private static final int MOST_SANDBOXES = 12;
  private static final int SHOWN_WHEN_MORE = 8;
  private static final int LONGEST_REASON = 48;

  private final Family family;
  private final Instant now;
  private final Terminal terminal;
  private final Set<String> running;

  private FamilyTree(Family family, List<SandboxInfo> sandboxes, Instant now, Terminal terminal) {
    this.family = family;
    this.now = now;
    this.terminal = terminal;
    this.running = sandboxes.stream().map(SandboxInfo::id).collect(Collectors.toSet());
  }

  static List<String> lines(
      List<SnapshotInfo> snapshots, List<SandboxInfo> sandboxes, Instant now, Terminal terminal) {
    return new FamilyTree(Family.of(snapshots, sandboxes), sandboxes, now, terminal).draw();
  }

  /**
   * A line yet to be drawn.
   *
   * @param lead what stands before the lines of those under it
   * @param text a snapshot's tag, or the whole line when it is none
   */
  private record Item(String before, String lead, boolean isSnapshot, String text) {}

  // A stack and no recursion: chains may be as deep as people make them.
  private List<String> draw() {
    List<String> lines = new ArrayList<>();
    Set<String> drawn = new HashSet<>();
    Deque<Item> open = new ArrayDeque<>();
    family.roots().forEach(tag -> open.add(new Item("", "", true, tag)));
    while (!open.isEmpty()) {
      Item item = open.pop();
      if (!item.isSnapshot()) {
        lines.add(item.before() + item.text());
      } else if (drawn.add(item.text())) {
        Family.Node node = node(item.text());
        lines.add(item.before() + describe(node));
        under(node, item.lead()).reversed().forEach(open::push);
      } else {
        lines.add(item.before() + terminal.red(item.text()) + "  its own ancestor: damaged");
      }
    }
    return lines;
  }

  private Family.Node node(String tag) {
    return Optional.ofNullable(family.nodes().get(tag)).orElseThrow();
  }

  private List<Item> under(Family.Node node, String lead) {
    List<String> sandboxes = sandboxLines(node.sandboxes());
    List<Item> items = new ArrayList<>();
    int count = sandboxes.size() + node.children().size();
    for (int i = 0; i < count; i++) {
      boolean last = i == count - 1;
      boolean sandbox = i < sandboxes.size();
      String text = sandbox ? sandboxes.get(i) : node.children().get(i - sandboxes.size());
      items.add(
          new Item(lead + (last ? "└─ " : "├─ "), lead + (last ? "   " : "│  "), !sandbox, text));
    }
    return items;
  }

  /** Hundreds of children say no more than their number; those that were branched say more. */
  private List<String> sandboxLines(List<SandboxInfo> sandboxes) {
    int first = sandboxes.size() <= MOST_SANDBOXES ? sandboxes.size() : SHOWN_WHEN_MORE;
    List<SandboxInfo> shown = new ArrayList<>(sandboxes.subList(0, first));
    sandboxes.stream().skip(first).filter(s -> s.branchCount() > 0).forEach(shown::add);
    List<String> lines = new ArrayList<>(shown.stream().map(this::describe).toList());
    if (shown.size() < sandboxes.size()) {
      lines.add("… %d more sandboxes".formatted(sandboxes.size() - shown.size()));
    }
    return lines;
  }

  private String describe(Family.Node node) {
    return node.snapshot()
        .map(this::describe)
        .orElseGet(
            () ->
                terminal.red(node.tag())
                    + (node.children().isEmpty()
                        ? "  removed; its children run on"
                        : "  missing: what is based on it cannot be forked"));
  }

  private String describe(SnapshotInfo snapshot) {
    List<String> facts = new ArrayList<>();
    facts.add(
        snapshot.parentTag().isPresent()
            ? "Δ " + Units.bytes(snapshot.diffLogicalBytes().orElse(snapshot.memoryPhysicalBytes()))
            : Units.bytes(snapshot.memoryPhysicalBytes()));
    snapshot.mode().ifPresent(facts::add);
    facts.add(SnapshotState.age(snapshot, now));
    // A tag that was made up has the id in it already, and lines should fit a terminal.
    snapshot
        .branchedFrom()
        .filter(id -> !snapshot.tag().contains(id))
        .ifPresent(id -> facts.add("from " + id + ended(id)));
    snapshot.expiresAt().ifPresent(end -> facts.add("collected " + SnapshotState.left(end, now)));
    if (!SnapshotState.sound(snapshot)) {
      facts.add(
          snapshot.warning().filter(why -> why.length() > LONGEST_REASON).isPresent()
              ? SnapshotState.word(terminal, snapshot) + ": see forkd snapshot-info"
              : SnapshotState.words(terminal, snapshot));
    }
    return terminal.bold(snapshot.tag()) + "  " + String.join(" · ", facts);
  }

  private String ended(String id) {
    return running.contains(id) ? "" : " (ended)";
  }

  private String describe(SandboxInfo sandbox) {
    List<String> facts = new ArrayList<>();
    facts.add("running " + Units.age(Duration.between(sandbox.createdAt(), now)));
    int branches = sandbox.branchCount();
    if (branches > 0) {
      facts.add(branches == 1 ? "1 branch" : branches + " branches");
    }
    sandbox
        .expiresAt()
        .ifPresent(end -> facts.add("ends in " + Units.age(Duration.between(now, end))));
    return terminal.green(sandbox.id()) + "  " + String.join(" · ", facts);
  }
}
