package io.forkd.client;

import java.util.Optional;

/**
 * A file, folder or other thing with a path in a sandbox.
 *
 * @param type {@code file}, {@code folder}, {@code symlink} or {@code other}
 * @param mode such as {@code 0644}
 * @param modified in ISO 8601
 * @param target where a symbolic link points to
 */
public record FileInfo(
    String path,
    String name,
    String type,
    long size,
    String mode,
    String owner,
    String group,
    String modified,
    Optional<String> target,
    JsonObject json) {
  static FileInfo from(JsonObject json) {
    return new FileInfo(
        json.text("path"),
        json.text("name"),
        json.text("type"),
        json.number("size"),
        json.text("mode"),
        json.text("owner"),
        json.text("group"),
        json.text("modified"),
        json.optionalText("target"),
        json);
  }

  public boolean isFolder() {
    return type.equals("folder");
  }
}
