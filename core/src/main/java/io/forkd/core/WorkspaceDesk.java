package io.forkd.core;

import io.forkd.base.ForkdException;
import io.forkd.base.SandboxId;
import io.forkd.base.Tag;
import io.forkd.store.Store;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * Workspaces: sandboxes with names. Suspended, a workspace is a paused sandbox whose snapshot has
 * the workspace's own tag and depends on no other.
 */
final class WorkspaceDesk {
  private final WorkspaceBook book;
  private final Store store;
  private final Shelf shelf;
  private final Compactor compactor;
  private final SandboxTable running;
  private final PausedSandboxes paused;
  private final Pauser pauser;
  private final ForkDesk forks;
  private final SandboxDesk sandboxes;
  private final Identities identities;
  private final Stripes byName = new Stripes();

  WorkspaceDesk(
      WorkspaceBook book,
      Store store,
      Shelf shelf,
      Compactor compactor,
      SandboxTable running,
      PausedSandboxes paused,
      Pauser pauser,
      ForkDesk forks,
      SandboxDesk sandboxes,
      Identities identities) {
    this.book = book;
    this.store = store;
    this.shelf = shelf;
    this.compactor = compactor;
    this.running = running;
    this.paused = paused;
    this.pauser = pauser;
    this.forks = forks;
    this.sandboxes = sandboxes;
    this.identities = identities;
  }

  /**
   * The name is noted first: a daemon that dies meanwhile leaves a workspace that can be resumed.
   */
  Workspace create(WorkspaceSpec spec) {
    shelf.requireFiles(spec.source());
    long now = now();
    WorkspaceRecord fresh =
        new WorkspaceRecord(
            "ws-" + identities.newBirth().substring(0, 16),
            spec.name().value(),
            spec.source(),
            Optional.empty(),
            Optional.empty(),
            now,
            now,
            spec.child());
    if (!book.add(fresh)) {
      throw ForkdException.conflict(
          "a workspace %s exists: choose another name, or `forkd workspace rm %s` first.",
          spec.name(), spec.name());
    }
    try {
      return view(start(fresh, spec.source()));
    } catch (RuntimeException e) {
      book.remove(spec.name());
      throw e;
    }
  }

  List<Workspace> all() {
    return book.all().stream()
        .map(this::view)
        .sorted(Comparator.comparing(Workspace::name))
        .toList();
  }

  Workspace get(WorkspaceName name) {
    return view(find(name));
  }

  Workspace suspend(WorkspaceName name) {
    return byName.alone(
        name,
        () -> {
          WorkspaceRecord workspace = find(name);
          return switch (view(workspace).status()) {
            case SUSPENDED -> view(workspace);
            case RUNNING -> view(toDisk(workspace));
            case STALE ->
                throw ForkdException.conflict(
                    "workspace %s has nothing to suspend: its sandbox has ended. `forkd workspace"
                        + " resume %s` starts it from its last state.",
                    name, name);
          };
        });
  }

  Workspace resume(WorkspaceName name) {
    return byName.alone(
        name,
        () -> {
          WorkspaceRecord workspace = find(name);
          switch (view(workspace).status()) {
            case RUNNING -> {}
            case SUSPENDED -> {
              pauser.resume(workspace.sandbox().orElseThrow());
              book.put(workspace.with(workspace.sandbox(), now()));
            }
            case STALE -> start(workspace, lastState(workspace));
          }
          return get(name);
        });
  }

  void delete(WorkspaceName name) {
    byName.alone(
        name,
        () -> {
          WorkspaceRecord workspace = find(name);
          Workspace.Status status = view(workspace).status();
          if (status != Workspace.Status.STALE) {
            sandboxes.kill(workspace.sandbox().orElseThrow());
          }
          book.remove(name);
          for (Tag tag : List.of(name.stateTag(), next(name))) {
            if (store.exists(tag)) {
              shelf.removeQuietly(tag);
            }
          }
          return workspace;
        });
  }

  private WorkspaceRecord start(WorkspaceRecord workspace, Tag from) {
    Sandbox sandbox =
        forks.fork(new ForkSpec(from, 1, false, workspace.given())).sandboxes().getFirst();
    WorkspaceRecord started = workspace.with(Optional.of(sandbox.id()), now());
    try {
      book.put(started);
    } catch (RuntimeException e) {
      sandboxes.kill(sandbox.id());
      throw e;
    }
    return started;
  }

  private Tag lastState(WorkspaceRecord workspace) {
    return workspace.stateTag().filter(store::exists).orElse(workspace.sourceTag());
  }

  /**
   * The old state is what the running memory is based on, so the new one is written beside it and
   * takes its tag when it is gone. A state that branches depend on stays, and so does the other
   * tag.
   */
  private WorkspaceRecord toDisk(WorkspaceRecord workspace) {
    WorkspaceName name = workspace.workspaceName();
    SandboxId sandbox = workspace.sandbox().orElseThrow();
    Tag into = store.exists(name.stateTag()) ? next(name) : name.stateTag();
    Tag other = into.equals(name.stateTag()) ? next(name) : name.stateTag();
    if (store.exists(into)) {
      throw ForkdException.conflict(
          "workspace %s cannot be suspended: snapshots %s and %s are both in use. `forkd tree`"
              + " shows what depends on them.",
          name, into, other);
    }
    pauser.pause(sandbox, Optional.of(into));
    WorkspaceRecord suspended = workspace.suspendedTo(into, now());
    book.put(suspended);
    if (store.exists(other)) {
      shelf.removeQuietly(other);
    }
    if (into.equals(name.stateTag()) || store.exists(name.stateTag())) {
      return suspended;
    }
    compactor.compact(into, name.stateTag());
    WorkspaceRecord settled = suspended.suspendedTo(name.stateTag(), now());
    pauser.changeAsleep(sandbox, draft -> draft.pausedAs = settled.stateTag());
    book.put(settled);
    shelf.removeQuietly(into);
    return settled;
  }

  private static Tag next(WorkspaceName name) {
    return Tag.of(name.stateTag() + "-2");
  }

  private Workspace view(WorkspaceRecord workspace) {
    Optional<SandboxRecord> asleep = workspace.sandbox().flatMap(paused::find);
    Optional<LiveSandbox> awake = workspace.sandbox().flatMap(running::find);
    Workspace.Status status =
        asleep.isPresent()
            ? Workspace.Status.SUSPENDED
            : awake.isPresent() ? Workspace.Status.RUNNING : Workspace.Status.STALE;
    return new Workspace(
        workspace.id(),
        workspace.workspaceName(),
        workspace.sourceTag(),
        asleep.flatMap(SandboxRecord::pausedAs).or(workspace::stateTag),
        status,
        awake.map(LiveSandbox::id),
        Instant.ofEpochSecond(workspace.createdAtUnix()),
        awake
            .map(live -> Instant.now().minus(live.activity().idle()))
            .orElse(Instant.ofEpochSecond(workspace.lastActiveUnix())),
        workspace.given().labels(),
        workspace.given().owner());
  }

  private WorkspaceRecord find(WorkspaceName name) {
    return book.find(name)
        .orElseThrow(
            () ->
                ForkdException.notFound(
                    "there is no workspace %s: `forkd workspace ls` lists them.", name));
  }

  private static long now() {
    return Instant.now().getEpochSecond();
  }
}
