package io.forkd.core;

import io.forkd.guest.GuestEntry;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SortedSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Compares the files of two guests, path by path.
 *
 * <p>With the same image below both, a path that neither has written is the same in both. So the
 * paths to look at are those in either's upper layer, and where one guest has no word of a path,
 * what it sees there is asked for.
 */
final class CompareFiles {
  private final GuestView a;
  private final GuestView b;
  private final CompareTexts texts;

  CompareFiles(GuestView a, GuestView b, boolean text) {
    this.a = a;
    this.b = b;
    this.texts = new CompareTexts(a, b, text);
  }

  /** Every path that differs, sorted. */
  List<Difference.FileChange> changes(boolean sameRoot) {
    CompareGuests.Both<List<GuestEntry>> told =
        sameRoot
            ? CompareGuests.ask(a::changedFiles, b::changedFiles)
            : CompareGuests.ask(a::allFiles, b::allFiles);
    Map<String, GuestEntry> inA = byPath(told.a());
    Map<String, GuestEntry> inB = byPath(told.b());
    SortedSet<String> paths = new TreeSet<>(inA.keySet());
    paths.addAll(inB.keySet());
    if (sameRoot) {
      CompareGuests.Both<List<GuestEntry>> rest =
          CompareGuests.ask(
              () -> a.describe(without(inA, paths)), () -> b.describe(without(inB, paths)));
      inA.putAll(byPath(rest.a()));
      inB.putAll(byPath(rest.b()));
    }
    List<Difference.FileChange> changes = new ArrayList<>();
    for (String path : paths) {
      change(path, present(inA.get(path)), present(inB.get(path))).ifPresent(changes::add);
    }
    return changes;
  }

  private static Map<String, GuestEntry> byPath(Collection<GuestEntry> entries) {
    Map<String, GuestEntry> byPath = new HashMap<>();
    entries.forEach(entry -> byPath.put(entry.path(), entry));
    return byPath;
  }

  private static List<String> without(Map<String, GuestEntry> known, Collection<String> paths) {
    return paths.stream().filter(path -> !known.containsKey(path)).toList();
  }

  private static Optional<GuestEntry> present(@Nullable GuestEntry entry) {
    return Optional.ofNullable(entry).filter(it -> it.type() != GuestEntry.Type.REMOVED);
  }

  private Optional<Difference.FileChange> change(
      String path, Optional<GuestEntry> inA, Optional<GuestEntry> inB) {
    if (inA.isEmpty() && inB.isEmpty()) {
      return Optional.empty();
    }
    if (inA.isEmpty()) {
      return Optional.of(change(path, Difference.Kind.ADDED, inA, inB, List.of()));
    }
    if (inB.isEmpty()) {
      return Optional.of(change(path, Difference.Kind.REMOVED, inA, inB, List.of()));
    }
    List<String> what = differences(inA.get(), inB.get());
    return what.isEmpty()
        ? Optional.empty()
        : Optional.of(change(path, Difference.Kind.CHANGED, inA, inB, what));
  }

  private Difference.FileChange change(
      String path,
      Difference.Kind kind,
      Optional<GuestEntry> inA,
      Optional<GuestEntry> inB,
      List<String> what) {
    CompareTexts.Lines lines = texts.compare(path, inA, inB);
    return new Difference.FileChange(
        path,
        kind,
        inB.or(() -> inA).orElseThrow().type().word(),
        size(inA),
        size(inB),
        what,
        lines.added(),
        lines.removed(),
        lines.unified());
  }

  private static OptionalLong size(Optional<GuestEntry> entry) {
    return entry.map(it -> OptionalLong.of(it.size())).orElse(OptionalLong.empty());
  }

  private static List<String> differences(GuestEntry inA, GuestEntry inB) {
    if (inA.type() != inB.type()) {
      return List.of("type");
    }
    List<String> what = new ArrayList<>();
    if (!sameContent(inA, inB)) {
      what.add("content");
    }
    if (!inA.target().equals(inB.target())) {
      what.add(inA.type() == GuestEntry.Type.SYMLINK ? "target" : "device");
    }
    if (inA.mode() != inB.mode()) {
      what.add("mode");
    }
    if (inA.uid() != inB.uid() || inA.gid() != inB.gid()) {
      what.add("owner");
    }
    return what;
  }

  /** A file that a guest could not read may be anything, so it is not the same. */
  static boolean sameContent(GuestEntry inA, GuestEntry inB) {
    return inA.type() != GuestEntry.Type.FILE
        || (inA.size() == inB.size()
            && inA.digest().isPresent()
            && inA.digest().equals(inB.digest()));
  }
}
