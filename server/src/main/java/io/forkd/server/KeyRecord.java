package io.forkd.server;

import java.time.Instant;
import java.util.Optional;

/**
 * What is kept of a key.
 *
 * @param hash the SHA-256 of its secret in hexadecimal
 * @param lastUsed to the minute
 */
record KeyRecord(
    String id,
    String name,
    String hash,
    Role role,
    Optional<String> owner,
    Instant createdAt,
    Optional<Instant> expiresAt,
    Optional<Instant> lastUsed) {
  KeyRecord usedAt(Instant now) {
    return new KeyRecord(id, name, hash, role, owner, createdAt, expiresAt, Optional.of(now));
  }

  boolean usedSince(Instant moment) {
    return lastUsed.filter(moment::isBefore).isPresent();
  }

  boolean expired(Instant now) {
    return expiresAt.filter(end -> !now.isBefore(end)).isPresent();
  }

  Principal principal() {
    return new Principal(name, role, owner, Optional.of(id));
  }
}
