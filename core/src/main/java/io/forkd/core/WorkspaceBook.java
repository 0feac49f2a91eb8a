package io.forkd.core;

import java.util.List;
import java.util.Optional;

/** Where workspaces are noted so that they outlive the host. */
interface WorkspaceBook {
  /** False when the name is taken. */
  boolean add(WorkspaceRecord workspace);

  void put(WorkspaceRecord workspace);

  Optional<WorkspaceRecord> find(WorkspaceName name);

  List<WorkspaceRecord> all();

  void remove(WorkspaceName name);
}
