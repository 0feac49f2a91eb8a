package io.forkd.registry;

import java.time.Instant;
import java.util.Optional;

/**
 * An API key, without its secret.
 *
 * @param id the part of the key that may be shown
 * @param name given by whoever made it; no two keys share one
 * @param hash of the secret
 * @param role what its bearer may do
 * @param owner whose things its bearer sees; empty when that is not limited
 */
public record Key(
    String id,
    String name,
    String hash,
    String role,
    Optional<String> owner,
    Instant createdAt,
    Optional<Instant> expiresAt,
    Optional<Instant> lastUsedAt) {}
