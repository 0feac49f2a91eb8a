package io.forkd.client;

import java.util.Optional;

/**
 * What is to change about a file; what is empty stays.
 *
 * @param mode such as {@code 0755}
 * @param recursive whether all below a folder changes too
 */
public record FileAttributes(
    Optional<String> mode, Optional<String> owner, Optional<String> group, boolean recursive) {
  JsonObject addTo(JsonObject body) {
    return body.with("mode", mode)
        .with("owner", owner)
        .with("group", group)
        .with("recursive", recursive ? Optional.of(true) : Optional.empty());
  }
}
