package io.forkd.store;

import io.forkd.base.SandboxId;
import io.forkd.base.Tag;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/** Decides which snapshots go: never one that something which stays depends on. */
public final class Retention {
  private Retention() {}

  /** A snapshot that goes, and why. */
  public record Doomed(Tag tag, String reason) {}

  /**
   * The snapshots whose time is over.
   *
   * @param inUse tags that stay whatever their time: of running sandboxes, pools, pinned parents
   * @param unwanted whose time is over for another reason, with that reason
   * @return children before their parents, so that each can be removed alone
   */
  public static List<Doomed> plan(
      List<Manifest> snapshots, Set<Tag> inUse, Map<Tag, String> unwanted, long nowUnix) {
    Map<Tag, String> candidates = new LinkedHashMap<>(unwanted);
    for (Manifest each : snapshots) {
      each.expiresAtUnix()
          .filter(end -> end <= nowUnix)
          .ifPresent(end -> candidates.put(each.tag(), "expired at " + Instant.ofEpochSecond(end)));
    }
    return collectable(snapshots, candidates, inUse);
  }

  /**
   * The branches of a sandbox beyond the newest few.
   *
   * @param snapshots of those made in the same second, the later in this list counts as newer: see
   *     {@link Listing#oldestFirst}
   * @param uncounted made as branches are, but nobody's branches: neither counted nor taken
   * @return children before their parents, so that each can be removed alone
   */
  public static List<Doomed> surplus(
      List<Manifest> snapshots,
      SandboxId sandbox,
      int keepLast,
      Set<Tag> inUse,
      Predicate<Tag> uncounted) {
    if (keepLast < 0) {
      throw new IllegalArgumentException("cannot keep the last %d".formatted(keepLast));
    }
    List<Manifest> branches =
        snapshots.stream()
            .filter(each -> each.branch().filter(by -> by.sandbox().equals(sandbox)).isPresent())
            .filter(each -> !uncounted.test(each.tag()))
            .sorted(Comparator.comparingLong(Manifest::createdAtUnix))
            .toList();
    Map<Tag, String> candidates = new LinkedHashMap<>();
    for (Manifest each : branches.subList(0, Math.max(0, branches.size() - keepLast))) {
      candidates.put(
          each.tag(), "older than the last %d branches of %s".formatted(keepLast, sandbox));
    }
    return collectable(snapshots, candidates, inUse);
  }

  private static List<Doomed> collectable(
      List<Manifest> snapshots, Map<Tag, String> candidates, Set<Tag> inUse) {
    Map<Tag, Tag> parents = new HashMap<>();
    snapshots.forEach(
        each -> each.parent().ifPresent(parent -> parents.put(each.tag(), parent.tag())));
    Set<Tag> staying = new HashSet<>();
    for (Tag each : inUse) {
      keepWithAncestors(each, parents, staying);
    }
    for (Manifest each : snapshots) {
      if (!candidates.containsKey(each.tag())) {
        keepWithAncestors(each.tag(), parents, staying);
      }
    }
    return candidates.entrySet().stream()
        .filter(each -> !staying.contains(each.getKey()))
        .map(each -> new Doomed(each.getKey(), each.getValue()))
        .sorted(
            Comparator.comparingInt((Doomed each) -> depth(each.tag(), parents))
                .reversed()
                .thenComparing(Doomed::tag))
        .toList();
  }

  private static void keepWithAncestors(Tag tag, Map<Tag, Tag> parents, Set<Tag> staying) {
    for (Tag next = tag; next != null && staying.add(next); ) {
      next = parents.get(next);
    }
  }

  private static int depth(Tag tag, Map<Tag, Tag> parents) {
    return Chains.ancestors(tag, each -> Optional.ofNullable(parents.get(each))).size();
  }
}
