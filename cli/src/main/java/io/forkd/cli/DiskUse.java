package io.forkd.cli;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** The space a file or folder takes on disk, holes not counted. */
final class DiskUse {
  private DiskUse() {}

  /** Bytes as {@code du} counts them: Java has no call for a file's blocks. */
  static long of(Path path) {
    if (!Files.exists(path)) {
      return 0;
    }
    Host.Output output = Host.run(List.of("du", "-sxB1", "--", path.toString()));
    String digits = output.text().replaceFirst("(?s)^([0-9]+).*", "$1");
    return digits.matches("[0-9]{1,18}") ? Long.parseLong(digits) : 0;
  }
}
