package io.forkd.server;

import io.forkd.registry.Key;
import io.forkd.registry.Registry;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Keys in the daemon's registry. */
final class RegistryKeys implements KeyStore {
  private static final Logger log = LoggerFactory.getLogger(RegistryKeys.class);
  private static final String EVER = "keys_used";

  private final Registry registry;

  RegistryKeys(Registry registry) {
    this.registry = registry;
  }

  @Override
  public List<KeyRecord> all() {
    return registry.keys().list().stream().flatMap(key -> ofRow(key).stream()).toList();
  }

  @Override
  public boolean everUsed() {
    return registry.meta().get(EVER).isPresent();
  }

  @Override
  public void add(KeyRecord key) {
    registry.durably(
        () -> {
          registry.meta().put(EVER, "true");
          registry
              .keys()
              .add(
                  new Key(
                      key.id(),
                      key.name(),
                      key.hash(),
                      key.role().text(),
                      key.owner(),
                      key.createdAt(),
                      key.expiresAt(),
                      key.lastUsed()));
          return true;
        });
  }

  @Override
  public void remove(String id) {
    registry.keys().revoke(id);
  }

  @Override
  public void noteUse(String id, Instant at) {
    registry.keys().touch(id, at);
  }

  /** A role that a later release wrote opens nothing in this one. */
  private static Optional<KeyRecord> ofRow(Key key) {
    Optional<Role> role = Role.of(key.role());
    if (role.isEmpty()) {
      log.warn("Key {} has a role this release does not know: it is not accepted", key.name());
    }
    return role.map(
        known ->
            new KeyRecord(
                key.id(),
                key.name(),
                key.hash(),
                known,
                key.owner(),
                key.createdAt(),
                key.expiresAt(),
                key.lastUsedAt()));
  }
}
