package io.forkd.core;

import io.forkd.base.Tag;

/** A workspace to make and start. */
public record WorkspaceSpec(WorkspaceName name, Tag source, ChildSpec child) {}
