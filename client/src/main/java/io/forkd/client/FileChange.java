package io.forkd.client;

import java.util.Optional;

/**
 * Something that happened below a folder that is watched.
 *
 * @param type {@code start} when watching has begun, {@code create}, {@code write}, {@code remove},
 *     {@code rename} or {@code chmod}
 * @param name path below the folder
 */
public record FileChange(String type, String name, JsonObject json) {
  static Optional<FileChange> from(JsonObject json) {
    return json.text("type").equals("keepalive")
        ? Optional.empty()
        : Optional.of(new FileChange(json.text("type"), json.text("name"), json));
  }

  /** Whether it only says that what happens from now on will be told. */
  public boolean begins() {
    return type.equals("start");
  }
}
