package io.forkd.server;

import io.forkd.base.ForkdException;
import io.forkd.base.Printable;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The keys that open the door. All of them are in memory, since every request asks; what changes is
 * written to the store first.
 */
final class ApiKeys {
  private static final Logger log = LoggerFactory.getLogger(ApiKeys.class);

  /** Names that stand for callers without a key. */
  private static final Set<String> RESERVED = Set.of(Principals.TOKEN, Principals.ANONYMOUS);

  static final Pattern NAME = Pattern.compile("[A-Za-z0-9_][A-Za-z0-9._@-]{0,63}");
  static final Pattern OWNER = Pattern.compile("[A-Za-z0-9_][A-Za-z0-9._@:-]{0,63}");
  private static final Duration USE_NOTED_EVERY = Duration.ofMinutes(1);
  private static final byte[] NO_DIGEST = new byte[32];

  private final KeyStore store;
  private final InstantSource clock;
  private final SecureRandom random = new SecureRandom();
  private volatile boolean inUse;
  private final Map<String, KeyRecord> keys = new ConcurrentHashMap<>();

  ApiKeys(KeyStore store, InstantSource clock) {
    this.store = store;
    this.clock = clock;
    this.inUse = store.everUsed();
    store.all().forEach(key -> keys.put(key.id(), key));
  }

  /** A new key, the only time its secret is known. */
  record Created(KeyRecord kept, ApiKey key) {}

  /**
   * Makes a key.
   *
   * @param owner whose things it works with; a user's key without one works with those of its name
   */
  synchronized Created create(
      String name, Role role, Optional<String> owner, Optional<Duration> life) {
    checkName(name);
    owner.ifPresent(ApiKeys::checkOwner);
    ApiKey key = ApiKey.random(random);
    Instant now = clock.instant();
    KeyRecord kept =
        new KeyRecord(
            key.id(),
            name,
            HexFormat.of().formatHex(key.secret().digest()),
            role,
            role == Role.USER ? owner.or(() -> Optional.of(name)) : owner,
            now,
            life.map(now::plus),
            Optional.empty());
    store.add(kept);
    inUse = true;
    keys.put(kept.id(), kept);
    return new Created(kept, key);
  }

  /** Oldest first. */
  List<KeyRecord> all() {
    return keys.values().stream()
        .sorted(Comparator.comparing(KeyRecord::createdAt).thenComparing(KeyRecord::id))
        .toList();
  }

  /**
   * Whether callers must show a secret because keys are, or were, in use: taking back the last one
   * must not let everybody in.
   */
  boolean inUse() {
    return inUse;
  }

  /** Takes a key back; the next request with it is refused. */
  synchronized void revoke(String id) {
    // In memory first: a store that fails must not keep a door open that was to be shut.
    if (keys.remove(id) == null) {
      throw ForkdException.notFound(
          "No key has the id '%s': `forkd key ls` lists them.", Printable.shorten(id));
    }
    store.remove(id);
  }

  /** Whose key a text is; empty when it is nobody's or its time is over. */
  Optional<Principal> verify(String text) {
    Optional<ApiKey> shown = ApiKey.parse(text);
    if (shown.isEmpty()) {
      return Optional.empty();
    }
    KeyRecord kept = keys.get(shown.get().id());
    // An unknown id takes as long as a wrong secret.
    byte[] expected = kept == null ? NO_DIGEST : HexFormat.of().parseHex(kept.hash());
    boolean matches = MessageDigest.isEqual(expected, shown.get().secret().digest());
    Instant now = clock.instant();
    if (kept == null || !matches || kept.expired(now)) {
      return Optional.empty();
    }
    noteUse(kept, now);
    return Optional.of(kept.principal());
  }

  private void noteUse(KeyRecord kept, Instant now) {
    if (!kept.usedSince(now.minus(USE_NOTED_EVERY))) {
      try {
        writeUse(kept.id(), now);
      } catch (RuntimeException e) {
        log.warn("Cannot note that key {} was used: {}", kept.name(), e.toString());
      }
    }
  }

  private synchronized void writeUse(String id, Instant now) {
    KeyRecord kept = keys.get(id);
    if (kept != null && !kept.usedSince(now.minus(USE_NOTED_EVERY))) {
      keys.put(id, kept.usedAt(now));
      store.noteUse(id, now);
    }
  }

  private void checkName(String name) {
    if (!NAME.matcher(name).matches() || RESERVED.contains(name)) {
      throw ForkdException.badRequest(
          "'%s' is no name for a key: use up to 64 letters, digits, '.', '_', '-' and '@', and none"
              + " of %s.",
          Printable.shorten(name), String.join(", ", RESERVED.stream().sorted().toList()));
    }
    if (keys.values().stream().anyMatch(key -> key.name().equals(name))) {
      throw ForkdException.conflict("A key %s exists: revoke it first, or use another name.", name);
    }
  }

  private static void checkOwner(String owner) {
    if (!OWNER.matcher(owner).matches()) {
      throw ForkdException.badRequest(
          "'%s' is no name for an owner: use up to 64 letters, digits, '.', '_', '-', '@' and ':'.",
          Printable.shorten(owner));
    }
  }
}
