package io.forkd.linux;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** Reads the small text files the kernel shows under /proc and /sys. */
final class ProcFile {
  private static final long KIB = 1024;
  private static final int PIECE = 16 * 1024;

  private ProcFile() {}

  /** The text, or empty when the file, or the process it tells about, is gone. */
  static Optional<String> read(Path path) {
    try {
      return Optional.of(whole(path));
    } catch (NoSuchFileException e) {
      return Optional.empty();
    } catch (IOException e) {
      if (String.valueOf(e.getMessage()).contains("No such")) {
        return Optional.empty(); // ESRCH and ENODEV while reading
      }
      throw new UncheckedIOException("cannot read " + path, e);
    }
  }

  /** In large pieces: some files under /proc/sys show nothing after the first, however short. */
  private static String whole(Path path) throws IOException {
    ByteArrayOutputStream text = new ByteArrayOutputStream();
    byte[] piece = new byte[PIECE];
    try (InputStream in = Files.newInputStream(path)) {
      for (int count = in.read(piece); count > 0; count = in.read(piece)) {
        text.write(piece, 0, count);
      }
    }
    return text.toString(StandardCharsets.UTF_8);
  }

  static Optional<String> read(long pid, String name) {
    return read(Path.of("/proc", Long.toString(pid), name));
  }

  /** The "Name: 12 kB" lines of a text, in bytes; numbers without a unit as they are. */
  static Map<String, Long> sizes(Iterable<String> lines) {
    Map<String, Long> sizes = new HashMap<>();
    for (String line : lines) {
      int colon = line.indexOf(':');
      if (colon > 0) {
        String[] words = line.substring(colon + 1).strip().split("\\s+");
        if (words[0].chars().allMatch(Character::isDigit) && !words[0].isEmpty()) {
          long unit = words.length > 1 && words[1].equals("kB") ? KIB : 1;
          sizes.merge(line.substring(0, colon), Long.parseLong(words[0]) * unit, Long::sum);
        }
      }
    }
    return sizes;
  }
}
