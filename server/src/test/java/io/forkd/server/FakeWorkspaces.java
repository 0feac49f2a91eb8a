package io.forkd.server;

import io.forkd.base.ForkdException;
import io.forkd.base.SandboxId;
import io.forkd.base.Tag;
import io.forkd.core.ForkSpec;
import io.forkd.core.Workspace;
import io.forkd.core.WorkspaceName;
import io.forkd.core.WorkspaceSpec;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Workspaces of a core in memory. */
final class FakeWorkspaces {
  private final Map<WorkspaceName, Workspace> workspaces = new TreeMap<>();
  private final Map<WorkspaceName, WorkspaceSpec> specs = new TreeMap<>();
  private final FakeForkd forkd;

  FakeWorkspaces(FakeForkd forkd) {
    this.forkd = forkd;
  }

  synchronized Workspace create(WorkspaceSpec spec) {
    if (workspaces.containsKey(spec.name())) {
      throw ForkdException.conflict("A workspace %s exists already.", spec.name());
    }
    SandboxId sandbox = start(spec, spec.source());
    specs.put(spec.name(), spec);
    return put(
        new Workspace(
            "ws-00000001",
            spec.name(),
            spec.source(),
            Optional.empty(),
            Workspace.Status.RUNNING,
            Optional.of(sandbox),
            FakeForkd.CREATED,
            FakeForkd.CREATED.plusSeconds(5),
            spec.child().labels(),
            spec.child().owner()));
  }

  synchronized List<Workspace> all() {
    return List.copyOf(workspaces.values());
  }

  synchronized Workspace get(WorkspaceName name) {
    return Optional.ofNullable(workspaces.get(name))
        .orElseThrow(() -> ForkdException.notFound("There is no workspace %s.", name));
  }

  synchronized void delete(WorkspaceName name) {
    get(name).sandbox().ifPresent(forkd::kill);
    workspaces.remove(name);
  }

  synchronized Workspace suspend(WorkspaceName name) {
    Workspace workspace = get(name);
    workspace.sandbox().ifPresent(forkd::kill);
    forkd.snapshots.put(
        name.stateTag(),
        new SnapshotDraft(name.stateTag().value()).owner(workspace.owner()).done());
    return put(
        with(
            workspace, Optional.of(name.stateTag()), Workspace.Status.SUSPENDED, Optional.empty()));
  }

  synchronized Workspace resume(WorkspaceName name) {
    Workspace workspace = get(name);
    if (workspace.status() == Workspace.Status.RUNNING) {
      return workspace;
    }
    SandboxId sandbox =
        start(
            Optional.ofNullable(specs.get(name)).orElseThrow(),
            workspace.stateTag().orElse(workspace.sourceTag()));
    return put(
        with(workspace, workspace.stateTag(), Workspace.Status.RUNNING, Optional.of(sandbox)));
  }

  private SandboxId start(WorkspaceSpec spec, Tag tag) {
    return forkd.fork(new ForkSpec(tag, 1, false, spec.child())).sandboxes().getFirst().id();
  }

  private Workspace put(Workspace workspace) {
    workspaces.put(workspace.name(), workspace);
    return workspace;
  }

  private static Workspace with(
      Workspace workspace,
      Optional<Tag> stateTag,
      Workspace.Status status,
      Optional<SandboxId> sandbox) {
    return new Workspace(
        workspace.id(),
        workspace.name(),
        workspace.sourceTag(),
        stateTag,
        status,
        sandbox,
        workspace.createdAt(),
        workspace.lastActive(),
        workspace.labels(),
        workspace.owner());
  }
}
