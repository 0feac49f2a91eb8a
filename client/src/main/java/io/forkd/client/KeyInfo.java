package io.forkd.client;

import java.time.Instant;
import java.util.Optional;

/**
 * A key of a daemon.
 *
 * @param secret what its holder shows; only known when it was just made
 * @param e2bSecret the same for clients of E2B
 */
public record KeyInfo(
    String id,
    String name,
    String role,
    Optional<String> owner,
    Optional<Instant> createdAt,
    Optional<Instant> expiresAt,
    Optional<Instant> lastUsed,
    Optional<String> secret,
    Optional<String> e2bSecret,
    JsonObject json) {
  static KeyInfo from(JsonObject json) {
    return new KeyInfo(
        json.text("id"),
        json.text("name"),
        json.text("role"),
        json.optionalText("owner"),
        json.optionalInstant("created_at_unix"),
        json.optionalInstant("expires_at_unix"),
        json.optionalInstant("last_used_unix"),
        json.optionalText("key"),
        json.optionalText("e2b_key"),
        json);
  }

  /** Without the secret, which must not end in a log by accident. */
  @Override
  public String toString() {
    return "KeyInfo[id=%s, name=%s, role=%s]".formatted(id, name, role);
  }
}
