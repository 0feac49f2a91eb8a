package io.forkd.guest;

import java.time.Instant;
import java.util.Map;
import java.util.Optional;

/**
 * A file, folder or other thing in a guest.
 *
 * @param path absolute
 * @param mode the permission bits with setuid, setgid and sticky
 * @param owner the user's name, or number when it has none
 * @param metadata names and values that were stored with it
 */
public record FileEntry(
    String path,
    Type type,
    long size,
    int mode,
    String owner,
    String group,
    Instant modified,
    Optional<String> symlinkTarget,
    Map<String, String> metadata) {
  /** What it is. */
  public enum Type {
    FILE,
    FOLDER,
    SYMLINK,
    OTHER
  }

  public FileEntry {
    metadata = Map.copyOf(metadata);
  }

  /** The last part of its path. */
  public String name() {
    return path.substring(path.lastIndexOf('/') + 1);
  }
}
