package io.forkd.server.e2b;

import io.forkd.guest.FileTree;
import io.forkd.guest.FileWatch;
import io.forkd.guest.GuestRefusal;
import io.forkd.server.http.Json;
import io.forkd.server.http.JsonObject;
import java.util.Optional;

/**
 * How changes in a folder are told.
 *
 * @param entries whether each comes with what is there now
 */
record WatchShape(FileTree files, String folder, boolean entries) {
  static WatchShape of(Body request, FileTree files) {
    String folder = request.requiredText("path");
    return new WatchShape(
        files,
        folder.endsWith("/") ? folder : folder + "/",
        request.flag("includeEntry").orElse(false));
  }

  JsonObject of(FileWatch.Change change) {
    JsonObject shape =
        Json.object().with("name", change.name()).with("type", "EVENT_TYPE_" + change.kind());
    return entries ? shape.withOptional("entry", entry(change)) : shape;
  }

  /** Empty when nothing is there any more. */
  private Optional<JsonObject> entry(FileWatch.Change change) {
    try {
      return Optional.of(Entries.shape(files.stat(folder + change.name())));
    } catch (GuestRefusal e) {
      return Optional.empty();
    }
  }
}
