package io.forkd.core;

import io.forkd.base.SandboxId;
import io.forkd.base.Tag;
import java.util.Map;
import java.util.Optional;

/** Puts what happened into words for {@link Events}. */
record News(Events events) {
  void created(Sandbox sandbox) {
    sandbox("created", sandbox, Map.of("snapshot_tag", sandbox.snapshotTag().value()));
  }

  void updated(Sandbox sandbox) {
    sandbox("updated", sandbox, Map.of());
  }

  void paused(Sandbox sandbox) {
    sandbox("paused", sandbox, Map.of());
  }

  void resumed(Sandbox sandbox) {
    sandbox("resumed", sandbox, Map.of());
  }

  void rolledBack(Sandbox sandbox, Tag tag) {
    sandbox("rolled_back", sandbox, Map.of("tag", tag.value()));
  }

  void branched(SandboxId id, Snapshot snapshot) {
    events.tell(
        "sandbox.branched", id.value(), snapshot.owner(), Map.of("tag", snapshot.tag().value()));
    created(snapshot);
  }

  void created(Snapshot snapshot) {
    events.tell("snapshot.created", snapshot.tag().value(), snapshot.owner(), Map.of());
  }

  void removed(Tag tag, Optional<String> owner) {
    events.tell("snapshot.removed", tag.value(), owner, Map.of());
  }

  void workspace(String what, Workspace workspace) {
    events.tell(
        "workspace." + what,
        workspace.name().value(),
        workspace.owner(),
        Map.of("status", Events.word(workspace.status())));
  }

  void pool(PoolStatus pool) {
    events.tell(
        "pool.set",
        pool.tag().value(),
        Optional.empty(),
        Map.of("warm", String.valueOf(pool.warm())));
  }

  void started(int sandboxes) {
    events.tell("daemon.started", "daemon", Optional.empty(), Map.of("sandboxes", "" + sandboxes));
  }

  private void sandbox(String what, Sandbox sandbox, Map<String, String> details) {
    events.tell("sandbox." + what, sandbox.id().value(), sandbox.given().owner(), details);
  }
}
