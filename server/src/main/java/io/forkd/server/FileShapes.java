package io.forkd.server;

import io.forkd.guest.FileEntry;
import io.forkd.server.http.Json;
import io.forkd.server.http.JsonObject;
import java.util.Optional;
import java.util.TreeMap;

/** The wire's shapes of files in a guest. */
final class FileShapes {
  private FileShapes() {}

  static JsonObject entry(FileEntry entry) {
    return Json.object()
        .with("path", entry.path())
        .with("name", entry.name())
        .with("type", Shapes.word(entry.type()))
        .with("size", entry.size())
        .with("mode", "%04o".formatted(entry.mode()))
        .with("owner", entry.owner())
        .with("group", entry.group())
        .with("modified", entry.modified())
        .withOptional("target", entry.symlinkTarget())
        .withOptional(
            "metadata",
            Optional.of(entry.metadata()).filter(some -> !some.isEmpty()).map(TreeMap::new));
  }
}
