package io.forkd.store;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.forkd.base.ForkdException;
import io.forkd.base.Tag;
import io.forkd.linux.LinuxException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The snapshots of one data folder. A snapshot appears by one rename and disappears by one, so that
 * nobody ever sees half of one; leftovers of interrupted work lie in {@code .staging} and are
 * removed when the store is opened. One daemon at a time may use a data folder.
 */
public final class Store {
  private final SnapshotFolders folders;
  private final PendingNotes notes;

  /**
   * Held while tags or the links between parents and children change: of begin, publish and remove
   * each sees the others' outcome, so no child appears whose parent has just gone.
   */
  private final Object lock = new Object();

  /** The tags being written, each with its parent. */
  @GuardedBy("lock")
  private final Map<Tag, Optional<Tag>> writers = new HashMap<>();

  private Store(Path root) {
    this.folders = new SnapshotFolders(root);
    this.notes = new PendingNotes(root.resolve(".pending"), folders);
  }

  public static Store open(Path dataDir) {
    Store store = new Store(dataDir.resolve("snapshots"));
    store.folders.prepare();
    store.notes.load();
    return store;
  }

  /** Everything at once. */
  public Listing look() {
    // Notes first: a snapshot committed meanwhile is then found twice rather than not at all.
    List<Pending> pending = notes.all();
    return folders.look(pending);
  }

  /** The snapshots that can be read. */
  public List<StoredSnapshot> list() {
    return look().snapshots();
  }

  /** The snapshots that cannot be read; they hold their tags until they are removed. */
  public List<DamagedSnapshot> damaged() {
    return look().damaged();
  }

  /** The announced snapshots that are not on disk; failed ones hold their tags until removed. */
  public List<Pending> pending() {
    return notes.all().stream().filter(note -> !exists(note.tag())).toList();
  }

  public StoredSnapshot get(Tag tag) {
    return folders.find(tag).orElseThrow(() -> absent(tag));
  }

  public boolean exists(Tag tag) {
    return folders.exists(tag);
  }

  public boolean isBeingWritten(Tag tag) {
    synchronized (lock) {
      return writers.containsKey(tag);
    }
  }

  /** The snapshot and all it is built on, root first; refuses when a link is broken. */
  public List<StoredSnapshot> chain(Tag tag) {
    return Chains.chain(tag, this::get);
  }

  /** Why no host could restore a snapshot, by its files and those of all it is built on. */
  public Optional<String> whyBroken(Tag tag) {
    try {
      chain(tag).forEach(StoredSnapshot::checkFiles);
      return Optional.empty();
    } catch (ForkdException e) {
      return Optional.of(String.valueOf(e.getMessage()));
    }
  }

  /** The snapshots this one is built on, root first, as far as can be told. */
  public List<Tag> ancestors(Tag tag) {
    return Chains.ancestors(tag, this::parentOf);
  }

  private Optional<Tag> parentOf(Tag tag) {
    try {
      return get(tag).manifest().parent().map(Manifest.Parent::tag);
    } catch (ForkdException e) {
      return notes.find(tag).flatMap(Pending::parent);
    }
  }

  /** The snapshots whose parent this is, also those being written, by tag. */
  public List<Tag> dependents(Tag tag) {
    synchronized (lock) {
      return family().childrenOf(tag);
    }
  }

  /** The parents that cannot be removed now, because children of theirs are being written. */
  public Set<Tag> pinnedParents() {
    synchronized (lock) {
      return writers.values().stream().flatMap(Optional::stream).collect(Collectors.toSet());
    }
  }

  @GuardedBy("lock")
  private Family family() {
    Family family = new Family();
    for (StoredSnapshot each : list()) {
      Manifest manifest = each.manifest();
      manifest.parent().ifPresent(parent -> family.add(manifest.tag(), parent.tag()));
    }
    writers.forEach((tag, parent) -> parent.ifPresent(p -> family.add(tag, p)));
    return family;
  }

  /** Begins a snapshot without a parent. */
  public SnapshotWriter begin(Tag tag) {
    return begin(tag, Optional.empty());
  }

  /**
   * Reserves a tag and a folder to write its snapshot in; close the writer without commit to give
   * both back.
   *
   * @param parent cannot be removed until the writer is closed; may be still being written itself
   */
  public SnapshotWriter begin(Tag tag, Optional<Tag> parent) {
    if (parent.isPresent() && ancestors(parent.get()).size() >= Chains.DEEPEST) {
      throw Refusals.tooDeep(parent.get());
    }
    synchronized (lock) {
      requireFree(tag);
      if (parent.isPresent() && !exists(parent.get()) && !writers.containsKey(parent.get())) {
        throw absent(parent.get());
      }
      writers.put(tag, parent);
    }
    try {
      return new SnapshotWriter(this, tag, folders.freshFolder(tag), folders.root());
    } catch (RuntimeException e) {
      release(tag);
      throw e instanceof LinuxException trouble
          ? SnapshotWriter.explained(tag, folders.root(), trouble)
          : e;
    }
  }

  @GuardedBy("lock")
  private void requireFree(Tag tag) {
    if (writers.containsKey(tag)) {
      throw Refusals.beingWritten(tag);
    }
    if (folders.isTaken(tag)) {
      throw Refusals.exists(tag);
    }
    Optional<Pending> failed = notes.find(tag);
    if (failed.isPresent()) {
      throw Refusals.notReady(failed.get());
    }
  }

  void announce(Pending pending) {
    notes.announce(pending);
  }

  /** Makes what a writer wrote visible, provided that its parent is what it was. */
  StoredSnapshot publish(Tag tag, Path written, Manifest manifest) {
    Optional<Tag> parent = manifest.parent().map(Manifest.Parent::tag);
    synchronized (lock) {
      if (!manifest.tag().equals(tag) || (parent.isPresent() && !parent.equals(writers.get(tag)))) {
        throw new IllegalArgumentException(
            "the writer of %s was not begun for %s with parent %s"
                .formatted(tag, manifest.tag(), parent));
      }
      if (parent.isPresent()) {
        Chains.checkedParent(manifest, this::get);
      }
      return folders.publish(written, manifest);
    }
  }

  /** Makes a published snapshot last. */
  void settle(Tag tag) {
    try {
      folders.sync();
    } catch (LinuxException e) {
      throw Refusals.mayNotLast(tag, e);
    } finally {
      notes.settle(tag);
    }
  }

  /** Gives a writer's tag back, unless it had been announced: then a note says what happened. */
  void giveUp(Tag tag, String reason) {
    notes.fail(tag, reason);
    release(tag);
  }

  /** Gives a writer's tag back. */
  void release(Tag tag) {
    synchronized (lock) {
      writers.remove(tag);
    }
  }

  private enum Extent {
    ALONE,
    WITH_DEPENDENTS,
    FORCED
  }

  /** Removes a snapshot on which none depends. Children that run keep what they have mapped. */
  public void removeAlone(Tag tag) {
    remove(tag, Extent.ALONE);
  }

  /**
   * Removes a snapshot and all that depend on it.
   *
   * @return what was removed, children before their parents
   */
  public List<Tag> removeWithDependents(Tag tag) {
    return remove(tag, Extent.WITH_DEPENDENTS);
  }

  /** Removes a snapshot and leaves those that depend on it broken. */
  public void removeForced(Tag tag) {
    remove(tag, Extent.FORCED);
  }

  private List<Tag> remove(Tag tag, Extent extent) {
    List<Path> hidden = new ArrayList<>();
    try {
      synchronized (lock) {
        if (!exists(tag)) {
          forgetFailed(tag);
          return List.of(tag);
        }
        List<Tag> doomed = doomed(tag, extent);
        for (Tag each : doomed) {
          if (!hidden.isEmpty()) {
            folders.sync(); // or a power cut might bring back a child without its parent
          }
          hidden.add(folders.hide(each));
        }
        return doomed;
      }
    } finally {
      folders.delete(hidden);
    }
  }

  @GuardedBy("lock")
  private List<Tag> doomed(Tag tag, Extent extent) {
    Family family = family();
    List<Tag> dependents = family.childrenOf(tag);
    if (extent == Extent.ALONE && !dependents.isEmpty()) {
      List<Tag> further = new ArrayList<>(family.withDescendants(tag).reversed());
      further.remove(tag);
      further.removeAll(dependents);
      throw Refusals.hasDependents(tag, dependents, further, writers.keySet());
    }
    List<Tag> doomed =
        extent == Extent.WITH_DEPENDENTS ? family.withDescendants(tag) : List.of(tag);
    for (Map.Entry<Tag, Optional<Tag>> writer : writers.entrySet()) {
      Optional<Tag> parent = writer.getValue();
      if (parent.isPresent() && doomed.contains(parent.get())) {
        throw Refusals.pinned(parent.get(), writer.getKey());
      }
    }
    return doomed;
  }

  @GuardedBy("lock")
  private void forgetFailed(Tag tag) {
    if (notes.find(tag).isEmpty() || writers.containsKey(tag)) {
      throw absent(tag);
    }
    notes.remove(tag);
  }

  private ForkdException absent(Tag tag) {
    return notes.find(tag).map(Refusals::notReady).orElseGet(() -> Refusals.notFound(tag));
  }
}
