package io.forkd.store;

import io.forkd.base.ErrorCode;
import io.forkd.base.ForkdException;
import io.forkd.base.Tag;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/** Walks from a snapshot to its parent, to that one's parent, and so on to the root. */
final class Chains {
  static final int DEEPEST = 1000;

  private Chains() {}

  /** The snapshot and all it is built on, root first, every link checked. */
  static List<StoredSnapshot> chain(Tag tag, Function<Tag, StoredSnapshot> get) {
    List<StoredSnapshot> chain = new ArrayList<>();
    Set<Tag> seen = new LinkedHashSet<>();
    StoredSnapshot current = get.apply(tag);
    chain.add(current);
    seen.add(tag);
    while (current.manifest().isDelta()) {
      Manifest child = current.manifest();
      Manifest.Parent pinned = child.parent().orElseThrow();
      if (!seen.add(pinned.tag())) {
        throw ForkdException.conflict(
            "snapshot %s cannot be restored: its parents lead in a circle, back to %s. Somebody"
                + " changed their manifests: remove it with `forkd rmi --force %s`.",
            tag, pinned.tag(), tag);
      }
      if (seen.size() > DEEPEST + 1) {
        throw Refusals.tooDeep(tag);
      }
      current = checkedParent(child, get);
      chain.add(current);
    }
    return chain.reversed();
  }

  /** The parent a manifest pins, exactly as it was then. */
  static StoredSnapshot checkedParent(Manifest child, Function<Tag, StoredSnapshot> get) {
    Manifest.Parent pinned = child.parent().orElseThrow();
    StoredSnapshot parent;
    try {
      parent = get.apply(pinned.tag());
    } catch (ForkdException e) {
      boolean gone = e.code() == ErrorCode.NOT_FOUND;
      throw broken(
          child,
          pinned,
          gone ? "there is none" : "that one cannot be used (%s)".formatted(e.getMessage()));
    }
    String found = parent.manifest().contentHash();
    if (!found.equals(pinned.contentHash())) {
      throw broken(child, pinned, "found one with content hash %.12s".formatted(found));
    }
    if (parent.manifest().memory().logicalBytes() != child.memory().logicalBytes()) {
      throw broken(
          child,
          pinned,
          "that one has %d bytes of memory and %s has %d"
              .formatted(
                  parent.manifest().memory().logicalBytes(),
                  child.tag(),
                  child.memory().logicalBytes()));
    }
    return parent;
  }

  private static ForkdException broken(Manifest child, Manifest.Parent pinned, String found) {
    return ForkdException.conflict(
        "snapshot %s is a delta to snapshot %s with content hash %.12s, but %s. Bring that parent"
            + " back, or remove %s with `forkd rmi %s` and make it anew.",
        child.tag(), pinned.tag(), pinned.contentHash(), found, child.tag(), child.tag());
  }

  /** The ancestors by name, root first, whatever is wrong with them. */
  static List<Tag> ancestors(Tag tag, Function<Tag, Optional<Tag>> parentOf) {
    Set<Tag> seen = new LinkedHashSet<>(Set.of(tag));
    Optional<Tag> next = parentOf.apply(tag);
    while (next.isPresent() && seen.add(next.get())) {
      next = parentOf.apply(next.get());
    }
    return List.copyOf(seen).subList(1, seen.size()).reversed();
  }
}
