package io.forkd.server;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Where keys are kept over the daemon's lives. */
interface KeyStore {
  List<KeyRecord> all();

  /** Whether a key was ever kept here, revoked or not. */
  boolean everUsed();

  /** Keeps a new key; it is on disk when this returns. */
  void add(KeyRecord key);

  /** Removes a key; it is gone from disk when this returns. */
  void remove(String id);

  /** Remembers when a key was last used; may be lost with the host's power. */
  void noteUse(String id, Instant at);

  /** One that forgets everything when the daemon ends. */
  static KeyStore inMemory() {
    return new InMemory();
  }

  /** Keys in a map. */
  final class InMemory implements KeyStore {
    private final Map<String, KeyRecord> keys = new ConcurrentHashMap<>();
    private volatile boolean everUsed;

    private InMemory() {}

    @Override
    public List<KeyRecord> all() {
      return List.copyOf(keys.values());
    }

    @Override
    public boolean everUsed() {
      return everUsed;
    }

    @Override
    public void add(KeyRecord key) {
      everUsed = true;
      keys.put(key.id(), key);
    }

    @Override
    public void remove(String id) {
      keys.remove(id);
    }

    @Override
    public void noteUse(String id, Instant at) {
      keys.computeIfPresent(id, (_, key) -> key.usedAt(at));
    }
  }
}
