package io.forkd.core;

import io.forkd.base.SandboxId;
import io.forkd.registry.Registry;
import java.util.List;
import java.util.Optional;

/** Records of sandboxes in the registry. */
final class SandboxRows implements Records {
  private final Registry registry;

  SandboxRows(Registry registry) {
    this.registry = registry;
  }

  @Override
  public void put(SandboxRecord sandboxRecord) {
    registry
        .sandboxes()
        .put(
            sandboxRecord.id().value(),
            sandboxRecord.state().name(),
            RecordJson.write(sandboxRecord));
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
    registry.sandboxes().remove(id.value());
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
        .map(row -> row.id())
        .filter(SandboxId::isValid)
        .map(SandboxId::of)
        .toList();
  }
}
