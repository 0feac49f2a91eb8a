package io.forkd.client;

import java.time.Duration;
import java.util.Optional;

/**
 * A key to make.
 *
 * @param role {@code read_only}, {@code user}, {@code operator} or {@code admin}
 * @param owner whose things it works with; a user's key without one has its name as owner
 * @param life after which it opens nothing any more
 */
public record KeyRequest(
    String name, String role, Optional<String> owner, Optional<Duration> life) {
  JsonObject toJson() {
    return JsonObject.ofPairs("name", name, "role", role)
        .with("owner", owner)
        .with("expires_in_secs", life.map(Duration::toSeconds));
  }
}
