package io.forkd.image;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** The mounts of this process's namespace. */
final class Mounts {
  private static final int MOUNT_POINT = 4;

  private Mounts() {}

  /** Mount points strictly below a folder, innermost first, from the text of a mountinfo file. */
  static List<Path> below(Path folder, List<String> mountinfo) {
    return mountinfo.stream()
        .map(line -> line.split(" "))
        .filter(fields -> fields.length > MOUNT_POINT)
        .map(fields -> Path.of(unescape(fields[MOUNT_POINT])))
        .filter(path -> path.startsWith(folder) && !path.equals(folder))
        .toList()
        .reversed();
  }

  /**
   * Detaches every mount below a folder about to be deleted: deleting through a bind mount would
   * delete the host's files.
   */
  static void detachBelow(Path folder) throws IOException {
    for (Path mount : current(folder)) {
      Command.of(Tool.UMOUNT, "--lazy", mount).run();
    }
    List<Path> left = current(folder);
    if (!left.isEmpty()) {
      throw new IOException("%s is still mounted; next: umount it".formatted(left.getFirst()));
    }
  }

  private static List<Path> current(Path folder) throws IOException {
    return below(folder.toRealPath(), Files.readAllLines(Path.of("/proc/self/mountinfo")));
  }

  private static String unescape(String field) {
    return field
        .replace("\\040", " ")
        .replace("\\011", "\t")
        .replace("\\012", "\n")
        .replace("\\134", "\\");
  }
}
