package io.forkd.core;

import io.forkd.base.SandboxId;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Records in memory. */
final class FakeRecords implements Records {
  final Map<SandboxId, SandboxRecord> kept = new ConcurrentHashMap<>();
  final Set<SandboxId> unreadable = ConcurrentHashMap.newKeySet();

  @Override
  public void put(SandboxRecord sandboxRecord) {
    kept.put(sandboxRecord.id(), sandboxRecord);
  }

  @Override
  public void putDurably(SandboxRecord sandboxRecord) {
    put(sandboxRecord);
  }

  @Override
  public void remove(SandboxId id) {
    kept.remove(id);
  }

  @Override
  public Optional<SandboxRecord> find(SandboxId id) {
    return Optional.ofNullable(kept.get(id)).filter(found -> !unreadable.contains(id));
  }

  @Override
  public List<SandboxId> ids() {
    return List.copyOf(kept.keySet());
  }
}
