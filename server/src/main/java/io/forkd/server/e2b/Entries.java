package io.forkd.server.e2b;

import io.forkd.guest.FileEntry;
import io.forkd.server.http.Json;
import io.forkd.server.http.JsonObject;

/** Files and folders as E2B's clients read them. */
final class Entries {
  private static final int PERMISSIONS = 0777;

  private Entries() {}

  static JsonObject shape(FileEntry entry) {
    JsonObject shape =
        Json.object()
            .with("name", entry.name())
            .with("type", type(entry.type()))
            .with("path", entry.path())
            .with("size", String.valueOf(entry.size()))
            .with("mode", entry.mode() & PERMISSIONS)
            .with("permissions", permissions(entry))
            .with("owner", entry.owner())
            .with("group", entry.group())
            .with("modifiedTime", SandboxShapes.millis(entry.modified()))
            .with("isSymlink", entry.type() == FileEntry.Type.SYMLINK)
            .withOptional("symlinkTarget", entry.symlinkTarget());
    return entry.metadata().isEmpty() ? shape : shape.with("metadata", entry.metadata());
  }

  /** What a write is answered with. */
  static JsonObject written(FileEntry entry) {
    JsonObject shape =
        Json.object().with("path", entry.path()).with("name", entry.name()).with("type", "file");
    return entry.metadata().isEmpty() ? shape : shape.with("metadata", entry.metadata());
  }

  private static String type(FileEntry.Type type) {
    return switch (type) {
      case FILE -> "FILE_TYPE_FILE";
      case FOLDER -> "FILE_TYPE_DIRECTORY";
      case SYMLINK -> "FILE_TYPE_SYMLINK";
      case OTHER -> "FILE_TYPE_UNSPECIFIED";
    };
  }

  private static String permissions(FileEntry entry) {
    StringBuilder text = new StringBuilder(10);
    text.append(
        switch (entry.type()) {
          case FOLDER -> 'd';
          case SYMLINK -> 'L';
          case FILE, OTHER -> '-';
        });
    String letters = "rwxrwxrwx";
    for (int i = 0; i < letters.length(); i++) {
      boolean set = (entry.mode() & (0400 >> i)) != 0;
      text.append(set ? letters.charAt(i) : '-');
    }
    return text.toString();
  }
}
