package io.forkd.core;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.forkd.base.SandboxId;
import io.forkd.base.Tag;
import java.util.Optional;

/**
 * What is kept of a workspace.
 *
 * @param stateTag where it was last suspended to
 * @param sandbox the sandbox that is it, running or paused; it may have ended since
 */
@JsonInclude(JsonInclude.Include.NON_ABSENT)
record WorkspaceRecord(
    String id,
    String name,
    Tag sourceTag,
    Optional<Tag> stateTag,
    Optional<SandboxId> sandbox,
    long createdAtUnix,
    long lastActiveUnix,
    ChildSpec given) {
  WorkspaceName workspaceName() {
    return new WorkspaceName(name);
  }

  WorkspaceRecord with(Optional<SandboxId> newSandbox, long nowUnix) {
    return new WorkspaceRecord(
        id, name, sourceTag, stateTag, newSandbox, createdAtUnix, nowUnix, given);
  }

  WorkspaceRecord suspendedTo(Tag newState, long nowUnix) {
    return new WorkspaceRecord(
        id, name, sourceTag, Optional.of(newState), sandbox, createdAtUnix, nowUnix, given);
  }
}
