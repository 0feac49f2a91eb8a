package io.forkd.core;

import io.forkd.base.ForkdException;
import io.forkd.base.SandboxId;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/** The sandboxes that have no process: their memory is a snapshot. */
final class PausedSandboxes {
  private final Map<SandboxId, SandboxRecord> byId = new ConcurrentHashMap<>();

  void add(SandboxRecord paused) {
    byId.put(paused.id(), paused);
  }

  Optional<SandboxRecord> find(SandboxId id) {
    return Optional.ofNullable(byId.get(id));
  }

  /** Takes one out; of several callers one gets it. */
  Optional<SandboxRecord> take(SandboxId id) {
    return Optional.ofNullable(byId.remove(id));
  }

  Collection<SandboxRecord> all() {
    return List.copyOf(byId.values());
  }

  /** Refuses a call into a sandbox that cannot answer. */
  void requireNot(SandboxId id) {
    if (byId.containsKey(id)) {
      throw ForkdException.conflict(
          "sandbox %s is paused: `forkd resume %s` (POST /v1/sandboxes/%s/resume) lets it go on.",
          id, id, id);
    }
  }
}
