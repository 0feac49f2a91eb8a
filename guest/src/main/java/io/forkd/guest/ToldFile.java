package io.forkd.guest;

import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** Reads what a guest tells about a file; what cannot be is nonsense. */
final class ToldFile {
  private static final long NANOS = 1_000_000_000L;
  private static final int MODE_BITS = 07777;
  private static final int MOST_METADATA = 32;

  private ToldFile() {}

  static FileEntry entry(Fields fields) throws NonsenseException {
    FileEntry.Type type = typeOf(fields.u8());
    long size = fields.i64();
    int mode = fields.u16();
    var _ = fields.i32();
    var _ = fields.i32();
    String owner = fields.text();
    String group = fields.text();
    long modified = fields.i64();
    byte[] path = fields.bytes();
    byte[] target = fields.bytes();
    if (size < 0 || mode > MODE_BITS || path.length == 0 || path[0] != '/') {
      throw new NonsenseException("a file is not as files are");
    }
    return new FileEntry(
        FileNames.text(path),
        type,
        size,
        mode,
        owner,
        group,
        Instant.ofEpochSecond(Math.floorDiv(modified, NANOS), Math.floorMod(modified, NANOS)),
        target.length > 0 ? Optional.of(FileNames.text(target)) : Optional.empty(),
        metadata(fields));
  }

  private static Map<String, String> metadata(Fields fields) throws NonsenseException {
    int count = fields.u16();
    if (count > MOST_METADATA) {
      throw new NonsenseException("a file with %d values".formatted(count));
    }
    Map<String, String> metadata = new HashMap<>();
    for (int i = 0; i < count; i++) {
      metadata.put(fields.text(), fields.text());
    }
    return metadata;
  }

  private static FileEntry.Type typeOf(int number) throws NonsenseException {
    return switch (number) {
      case 1 -> FileEntry.Type.FILE;
      case 2 -> FileEntry.Type.FOLDER;
      case 3 -> FileEntry.Type.SYMLINK;
      case 4 -> FileEntry.Type.OTHER;
      default -> throw new NonsenseException("a file of unknown type " + number);
    };
  }

  /** About what an entry takes of the heap. */
  static long heap(FileEntry entry) {
    long metadata =
        entry.metadata().entrySet().stream()
            .mapToLong(it -> 150 + 2L * (it.getKey().length() + it.getValue().length()))
            .sum();
    return 350
        + 2L * (entry.path().length() + entry.symlinkTarget().map(String::length).orElse(0))
        + metadata;
  }
}
