package io.forkd.guest;

import static java.util.Objects.requireNonNull;

import java.util.Optional;
import java.util.OptionalInt;

/**
 * What a guest says is at one path of its file system.
 *
 * @param path absolute and fit to be shown: names are any bytes, so a byte that is not UTF-8 or not
 *     visible is {@code \xHH}, and a backslash is doubled
 * @param mode the permission bits, at most 07777
 * @param size of a regular file, else 0
 * @param lines of a text file: at most 1 MiB of UTF-8 without a NUL in its first 8 KiB
 * @param digest of a regular file's content, in hexadecimal: equal for equal content and only then.
 *     Up to 64 MiB it is the SHA-256. Empty when the guest could not read the file.
 * @param target of a symlink, escaped like the path; of a device its numbers, {@code major:minor}
 * @param opaque whether a directory in the overlay hides all that the image has below it
 */
public record GuestEntry(
    String path,
    Type type,
    int mode,
    long uid,
    long gid,
    long size,
    OptionalInt lines,
    Optional<String> digest,
    Optional<String> target,
    boolean opaque) {
  public GuestEntry {
    requireNonNull(path, "path is null");
    requireNonNull(type, "type is null");
  }

  /** What kind of thing is at a path. */
  public enum Type {
    FILE("file"),
    DIRECTORY("directory"),
    SYMLINK("symlink"),
    /** The image has it, and it was removed. */
    REMOVED("removed"),
    FIFO("fifo"),
    SOCKET("socket"),
    CHAR_DEVICE("char-device"),
    BLOCK_DEVICE("block-device");

    private final String word;

    Type(String word) {
      this.word = word;
    }

    /** The word users see. */
    public String word() {
      return word;
    }
  }
}
