package io.forkd.server;

import io.forkd.base.ForkdException;
import io.forkd.base.Printable;
import io.forkd.server.http.Endings;
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
import java.util.stream.Collectors;
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
  private static final Duration CLOCK_CHECKED_EVERY = Duration.ofSeconds(1);
  private static final byte[] NO_DIGEST = new byte[32];

  private final KeyStore store;
  private final InstantSource clock;
  private final SecureRandom random = new SecureRandom();
  private volatile boolean inUse;
  private final Map<String, KeyRecord> keys = new ConcurrentHashMap<>();

  /** What lasts as long as its key holds, of the keys by which something was opened. */
  private final Map<String, Endings> endings = new ConcurrentHashMap<>();

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

  /** Takes a key back: what was opened with it ends, and the next request with it is refused. */
  synchronized void revoke(String id) {
    // In memory first: a store that fails must not keep a door open that was to be shut.
    if (keys.remove(id) == null) {
      throw ForkdException.notFound(
          "No key has the id '%s': `forkd key ls` lists them.", Printable.shorten(id));
    }
    Optional.ofNullable(endings.remove(id)).ifPresent(Endings::stop);
    store.remove(id);
  }

  /** The ids of the keys that let in now. */
  Set<String> holding() {
    Instant now = clock.instant();
    return keys.values().stream()
        .filter(key -> !key.expired(now))
        .map(KeyRecord::id)
        .collect(Collectors.toUnmodifiableSet());
  }

  /** What is opened with a key, which ends when the key is taken back or its time is over. */
  synchronized Endings endings(String id) {
    KeyRecord kept = keys.get(id);
    if (kept == null || kept.expired(clock.instant())) {
      Endings over = new Endings();
      over.stop();
      return over;
    }
    return endings.computeIfAbsent(
        id,
        _ -> {
          Endings fresh = new Endings();
          kept.expiresAt()
              .ifPresent(
                  end -> Thread.ofVirtual().name("key-end").start(() -> endAt(end, id, fresh)));
          return fresh;
        });
  }

  /** The clock may be set meanwhile, so it is looked at now and then. */
  private void endAt(Instant end, String id, Endings opened) {
    try {
      while (endings.get(id) == opened && clock.instant().isBefore(end)) {
        Duration left = Duration.between(clock.instant(), end);
        Thread.sleep(left.compareTo(CLOCK_CHECKED_EVERY) < 0 ? left : CLOCK_CHECKED_EVERY);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    endings.remove(id, opened);
    opened.stop();
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
