package io.forkd.core;

import io.forkd.base.SandboxId;
import io.forkd.registry.Registry;
import io.forkd.registry.Sandboxes;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Records of sandboxes in the registry. */
final class SandboxRows implements Records {
  private final Registry registry;

  /** Rows of sandboxes that are gone, which a full disk kept from being removed. */
  private final Set<SandboxId> leftovers = ConcurrentHashMap.newKeySet();

  SandboxRows(Registry registry) {
    this.registry = registry;
  }

  @Override
  public void put(SandboxRecord sandboxRecord) {
    Set<SandboxId> gone = Set.copyOf(leftovers);
    registry.ordinarily(
        () -> {
          gone.forEach(id -> registry.sandboxes().remove(id.value()));
          registry
              .sandboxes()
              .put(
                  sandboxRecord.id().value(),
                  sandboxRecord.state().name(),
                  RecordJson.write(sandboxRecord));
          return sandboxRecord;
        });
    leftovers.removeAll(gone);
  }

  @Override
  public void putDurably(SandboxRecord sandboxRecord) {
    registry.durably(
        () -> {
          put(sandboxRecord);
          return sandboxRecord;
        });
  }

  @Override
  public void remove(SandboxId id) {
    try {
      registry.sandboxes().remove(id.value());
    } catch (RuntimeException e) {
      // What it stands for is gone; failing whoever ended that would help nobody.
      Log.CORE.warn("the record of {} cannot be removed yet: {}", id, e.toString());
      leftovers.add(id);
    }
  }

  @Override
  public Optional<SandboxRecord> find(SandboxId id) {
    return registry
        .sandboxes()
        .get(id.value())
        .flatMap(row -> RecordJson.read(row.json(), SandboxRecord.class))
        .filter(found -> found.id().equals(id));
  }

  @Override
  public List<SandboxId> ids() {
    return registry.sandboxes().all().stream()
        .map(Sandboxes.Row::id)
        .filter(SandboxId::isValid)
        .map(SandboxId::of)
        .toList();
  }
}
