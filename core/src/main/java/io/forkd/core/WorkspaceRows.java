package io.forkd.core;

import io.forkd.registry.Registry;
import java.util.List;
import java.util.Optional;

/** Workspaces in the registry. */
final class WorkspaceRows implements WorkspaceBook {
  private final Registry registry;

  WorkspaceRows(Registry registry) {
    this.registry = registry;
  }

  @Override
  public boolean add(WorkspaceRecord workspace) {
    return registry.durably(
        () -> {
          boolean free = registry.workspaces().get(workspace.name()).isEmpty();
          if (free) {
            put(workspace);
          }
          return free;
        });
  }

  @Override
  public void put(WorkspaceRecord workspace) {
    registry.workspaces().put(workspace.name(), RecordJson.write(workspace));
  }

  @Override
  public Optional<WorkspaceRecord> find(WorkspaceName name) {
    return registry
        .workspaces()
        .get(name.value())
        .flatMap(row -> RecordJson.read(row.json(), WorkspaceRecord.class));
  }

  @Override
  public List<WorkspaceRecord> all() {
    return registry.workspaces().all().stream()
        .flatMap(row -> RecordJson.read(row.json(), WorkspaceRecord.class).stream())
        .toList();
  }

  @Override
  public void remove(WorkspaceName name) {
    registry.workspaces().remove(name.value());
  }
}
