package io.forkd.store;

import io.forkd.base.Tag;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** Who is whose child. */
final class Family {
  private final Map<Tag, Set<Tag>> children = new TreeMap<>();

  void add(Tag child, Tag parent) {
    children.computeIfAbsent(parent, tag -> new TreeSet<>()).add(child);
  }

  /** By tag. */
  List<Tag> childrenOf(Tag parent) {
    return List.copyOf(children.getOrDefault(parent, Set.of()));
  }

  /** All that depend on one, directly or not, and itself at the end: children before parents. */
  List<Tag> withDescendants(Tag root) {
    List<Tag> parentsFirst = new ArrayList<>(List.of(root));
    Set<Tag> seen = new TreeSet<>(parentsFirst);
    for (int i = 0; i < parentsFirst.size(); i++) {
      for (Tag child : childrenOf(parentsFirst.get(i))) {
        if (seen.add(child)) {
          parentsFirst.add(child);
        }
      }
    }
    return parentsFirst.reversed();
  }
}
