package io.forkd.linux;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/** What this process has open, for finding leaks. */
final class Descriptors {
  private Descriptors() {}

  /** Numbers and targets, without the JVM's own jars and the listing itself. */
  static Map<Integer, String> open() throws IOException {
    Map<Integer, String> open = new TreeMap<>();
    try (Stream<Path> entries = Files.list(Path.of("/proc/self/fd"))) {
      for (Path entry : entries.toList()) {
        String target = target(entry);
        if (!target.endsWith(".jar") && !target.startsWith("/proc/")) {
          open.put(Integer.valueOf(entry.getFileName().toString()), target);
        }
      }
    }
    return open;
  }

  private static String target(Path entry) {
    try {
      return Files.readSymbolicLink(entry).toString();
    } catch (IOException e) {
      return "/proc/"; // the descriptor the listing itself used
    }
  }
}
