package io.forkd.core;

import io.forkd.base.ForkdException;
import io.forkd.base.SandboxId;
import io.forkd.base.Tag;
import io.forkd.store.Listing;
import io.forkd.store.Manifest;
import io.forkd.store.Pending;
import io.forkd.store.Retention;
import io.forkd.store.Store;
import io.forkd.store.StoredSnapshot;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The snapshots, as users see, remove and outlive them. */
final class Shelf {
  private static final int MOST_NAMED = 50;

  private final Store store;
  private final SnapshotViews views;
  private final Templates templates;
  private final SandboxTable sandboxes;
  private final PausedSandboxes asleep;
  private final Pools pools;

  Shelf(
      Store store,
      SnapshotViews views,
      Templates templates,
      SandboxTable sandboxes,
      PausedSandboxes asleep,
      Pools pools) {
    this.store = store;
    this.views = views;
    this.templates = templates;
    this.sandboxes = sandboxes;
    this.asleep = asleep;
    this.pools = pools;
  }

  List<Snapshot> all() {
    Listing listing = store.look();
    Map<Tag, String> broken = listing.broken();
    return Stream.of(
            listing.snapshots().stream()
                .map(
                    each ->
                        views.of(
                            each,
                            listing.ancestors(each.manifest().tag()).size(),
                            Optional.ofNullable(broken.get(each.manifest().tag())))),
            listing.damaged().stream().map(views::of),
            listing.pending().stream()
                .map(each -> views.of(each, listing.ancestors(each.tag()).size())))
        .flatMap(part -> part)
        .sorted(Comparator.comparing(Snapshot::tag))
        .toList();
  }

  Snapshot get(Tag tag) {
    Optional<Pending> pending =
        store.pending().stream().filter(note -> note.tag().equals(tag)).findFirst();
    return pending.isPresent() ? view(pending.get()) : view(store.get(tag));
  }

  Snapshot view(StoredSnapshot stored) {
    Tag tag = stored.manifest().tag();
    return views.of(stored, store.ancestors(tag).size(), store.whyBroken(tag));
  }

  Snapshot view(Pending pending) {
    return views.of(pending, store.ancestors(pending.tag()).size());
  }

  /** Refuses a snapshot whose files are not there, unless it is just being written. */
  void requireFiles(Tag tag) {
    if (!store.isBeingWritten(tag)) {
      store.get(tag).checkFiles();
    }
  }

  /** Refuses a snapshot that cannot be forked here. */
  void requireRestorable(Tag tag) {
    StoredSnapshot stored = store.chain(tag).getLast();
    stored.checkFiles();
    views.requireRestorable(stored);
  }

  SnapshotDetail detail(Tag tag) {
    return new SnapshotDetail(
        get(tag), store.ancestors(tag), store.dependents(tag), childrenOf(tag));
  }

  private List<SandboxId> childrenOf(Tag tag) {
    return sandboxes.all().stream()
        .filter(live -> live.sandboxRecord().snapshotTag().equals(tag))
        .map(LiveSandbox::id)
        .toList();
  }

  List<Tag> remove(Tag tag, RemoveMode mode) {
    if (mode != RemoveMode.FORCE) {
      requireNobodySleepsIn(tag);
      if (mode == RemoveMode.CASCADE) {
        descendants(tag).forEach(this::requireNobodySleepsIn);
      } else if (store.dependents(tag).isEmpty()) {
        requireNobodyCameFrom(tag);
      }
    }
    List<Tag> removed =
        switch (mode) {
          case SAFE -> {
            store.removeAlone(tag);
            yield List.of(tag);
          }
          case CASCADE -> store.removeWithDependents(tag);
          case FORCE -> {
            // What is in memory of those it leaves broken would hide that they are.
            descendants(tag).forEach(templates::forget);
            store.removeForced(tag);
            yield List.of(tag);
          }
        };
    for (Tag gone : removed) {
      pools.drop(gone);
      templates.forget(gone);
    }
    return removed;
  }

  private void requireNobodySleepsIn(Tag tag) {
    asleep.all().stream()
        .filter(paused -> paused.pausedAs().filter(tag::equals).isPresent())
        .findFirst()
        .ifPresent(
            paused -> {
              throw ForkdException.conflict(
                  "snapshot %s is the memory of the paused sandbox %s: resume or kill that first,"
                      + " or remove it with --force and lose the sandbox.",
                  tag, paused.id());
            });
  }

  /** Its children run on without it, but can no longer be branched or paused. */
  private void requireNobodyCameFrom(Tag tag) {
    if (!store.exists(tag)) {
      return; // never kept: what was forked of it while it was written has lost it already
    }
    List<SandboxRecord> children =
        sandboxes.all().stream()
            .map(LiveSandbox::sandboxRecord)
            .filter(child -> child.snapshotTag().equals(tag))
            .filter(child -> child.birth().equals(store.get(tag).manifest().birth()))
            .toList();
    if (!children.isEmpty()) {
      throw ForkdException.conflict(
          "snapshot %s has running sandboxes, which without it could not be branched or paused any"
              + " more: %s. Kill them first (`forkd kill --tag %s`), or use --force.",
          tag, named(children), tag);
    }
  }

  private static String named(List<SandboxRecord> sandboxes) {
    String names =
        sandboxes.stream()
            .limit(MOST_NAMED)
            .map(each -> each.id().value())
            .collect(Collectors.joining(", "));
    int more = sandboxes.size() - MOST_NAMED;
    return more > 0 ? "%s and %d more".formatted(names, more) : names;
  }

  /** Removes what forkd itself made and nobody needs any more; what depends on it keeps it. */
  void removeQuietly(Tag tag) {
    try {
      remove(tag, RemoveMode.SAFE);
    } catch (RuntimeException e) {
      Log.CORE.info("snapshot {} stays: {}", tag, e.getMessage());
    }
  }

  private Set<Tag> descendants(Tag tag) {
    Set<Tag> found = new HashSet<>();
    for (Tag child : store.dependents(tag)) {
      if (found.add(child)) {
        found.addAll(descendants(child));
      }
    }
    return found;
  }

  Collected collect(boolean dryRun) {
    List<Manifest> manifests = manifests();
    return collect(
        Retention.plan(manifests, inUse(), orphans(manifests), Instant.now().getEpochSecond()),
        dryRun);
  }

  /** Keeps only the newest branches of a sandbox that nothing depends on. */
  void keepLast(SandboxId sandbox, int count) {
    collect(Retention.surplus(manifests(), sandbox, count, inUse(), Shelf::isNoBranch), false);
  }

  /** Pauses and what workspaces are suspended to have their own keepers. */
  private static boolean isNoBranch(Tag tag) {
    return Pauser.isPause(tag) || WorkspaceName.isState(tag);
  }

  private Collected collect(List<Retention.Doomed> doomed, boolean dryRun) {
    List<Collected.Item> items = new ArrayList<>();
    for (Retention.Doomed one : doomed) {
      try {
        long bytes = store.get(one.tag()).manifest().memory().physicalBytes();
        if (!dryRun) {
          // Alone: what came to depend on it since the plan was made keeps it.
          remove(one.tag(), RemoveMode.SAFE);
          Log.CORE.info("snapshot {} collected: {}", one.tag(), one.reason());
        }
        items.add(new Collected.Item(one.tag(), one.reason(), bytes));
      } catch (RuntimeException e) {
        Log.CORE.info("snapshot {} stays: {}", one.tag(), e.getMessage());
      }
    }
    return new Collected(dryRun, items, items.stream().mapToLong(Collected.Item::bytes).sum());
  }

  private List<Manifest> manifests() {
    return store.look().oldestFirst();
  }

  /** The pauses of sandboxes that are no more. */
  private Map<Tag, String> orphans(List<Manifest> manifests) {
    Map<Tag, String> orphans = new HashMap<>();
    for (Manifest each : manifests) {
      each.branch()
          .map(Manifest.Branch::sandbox)
          .filter(id -> Pauser.isPause(each.tag()))
          .filter(id -> sandboxes.find(id).isEmpty() && asleep.find(id).isEmpty())
          .ifPresent(id -> orphans.put(each.tag(), "its sandbox %s has ended".formatted(id)));
    }
    return orphans;
  }

  /**
   * What a paused sandbox is, a running sandbox came from, a pool is made of, or is just being
   * written on.
   */
  private Set<Tag> inUse() {
    Set<Tag> tags = new HashSet<>();
    asleep.all().forEach(paused -> paused.pausedAs().ifPresent(tags::add));
    sandboxes.all().forEach(live -> tags.add(live.sandboxRecord().snapshotTag()));
    pools.list().forEach(pool -> tags.add(pool.tag()));
    tags.addAll(store.pinnedParents());
    return tags;
  }
}
