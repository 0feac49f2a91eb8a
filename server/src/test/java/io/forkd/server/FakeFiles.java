package io.forkd.server;

import io.forkd.core.Difference;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;

/**
 * What snapshots and sandboxes of a core in memory hold: text by path. What lies under {@code
 * /proc/} stands for processes, named by their path's end.
 */
final class FakeFiles {
  private static final String PROCESSES = "/proc/";
  private static final int PAGE_BYTES = 4096;

  /** By tag or sandbox id. */
  private final Map<Object, Map<String, String>> contents = new ConcurrentHashMap<>();

  Map<String, String> of(Object owner) {
    return contents.getOrDefault(owner, Map.of());
  }

  void write(Object owner, String path, String text) {
    Map<String, String> changed = new TreeMap<>(of(owner));
    changed.put(path, text);
    contents.put(owner, changed);
  }

  void remove(Object owner, String path) {
    Map<String, String> changed = new TreeMap<>(of(owner));
    changed.remove(path);
    contents.put(owner, changed);
  }

  void copy(Object from, Object to) {
    contents.put(to, of(from));
  }

  /** Every path is a page, too. */
  Difference compare(Map<String, String> a, Map<String, String> b, boolean text) {
    TreeSet<String> paths = new TreeSet<>(a.keySet());
    paths.addAll(b.keySet());
    List<Difference.FileChange> changes = new ArrayList<>();
    for (String path : paths) {
      Optional<String> before = Optional.ofNullable(a.get(path));
      Optional<String> after = Optional.ofNullable(b.get(path));
      if (!path.startsWith(PROCESSES) && !before.equals(after)) {
        changes.add(change(path, before, after, text));
      }
    }
    return new Difference(
        changes,
        new Difference.Pages(131_072, paths.size(), changes.size(), PAGE_BYTES),
        new Difference.Processes(
            processes(a).size(), processes(b).size(), without(a, b), without(b, a)));
  }

  private static Difference.FileChange change(
      String path, Optional<String> before, Optional<String> after, boolean text) {
    List<String> removed = before.stream().flatMap(String::lines).toList();
    List<String> added = after.stream().flatMap(String::lines).toList();
    String unified = "-" + String.join("\n-", removed) + "\n+" + String.join("\n+", added) + "\n";
    return new Difference.FileChange(
        path,
        before.isEmpty()
            ? Difference.Kind.ADDED
            : after.isEmpty() ? Difference.Kind.REMOVED : Difference.Kind.CHANGED,
        "file",
        size(before),
        size(after),
        before.isPresent() && after.isPresent() ? List.of("content") : List.of(),
        added.size(),
        removed.size(),
        text ? Optional.of(unified) : Optional.empty());
  }

  private static OptionalLong size(Optional<String> content) {
    return content.map(text -> OptionalLong.of(text.length())).orElseGet(OptionalLong::empty);
  }

  private static List<String> processes(Map<String, String> contents) {
    return contents.keySet().stream()
        .filter(path -> path.startsWith(PROCESSES))
        .map(path -> path.substring(PROCESSES.length()))
        .toList();
  }

  private static List<String> without(Map<String, String> contents, Map<String, String> others) {
    return processes(contents).stream().filter(p -> !processes(others).contains(p)).toList();
  }
}
