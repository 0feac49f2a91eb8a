package io.forkd.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** Control groups by name, wherever a runtime put them. */
final class ControlGroupLeftovers {
  private static final Path ROOT = Path.of("/sys/fs/cgroup");
  private static final int DEPTH = 6;

  private ControlGroupLeftovers() {}

  /** The groups whose name has this part, deepest first. */
  static List<Path> find(String partOfName) {
    return groups().stream()
        .filter(path -> path.getFileName().toString().contains(partOfName))
        .toList();
  }

  /** The groups directly under one of this name. */
  static List<Path> childrenOf(String parentName) {
    return groups().stream()
        .filter(path -> path.getName(path.getNameCount() - 2).toString().equals(parentName))
        .toList();
  }

  static void remove(String partOfName) throws IOException {
    for (Path group : find(partOfName)) {
      Files.deleteIfExists(group);
    }
  }

  private static List<Path> groups() {
    if (!Files.isDirectory(ROOT)) {
      return List.of();
    }
    try (Stream<Path> paths =
        Files.find(ROOT, DEPTH, (path, attributes) -> attributes.isDirectory())) {
      return paths
          .filter(path -> !path.equals(ROOT))
          .sorted(Comparator.comparingInt(Path::getNameCount).reversed())
          .toList();
    } catch (IOException | java.io.UncheckedIOException e) {
      return List.of(); // a group that ended while we looked
    }
  }
}
