package io.forkd.core;

/**
 * What forkd on a host is made of.
 *
 * @param vmm the monitor guests run in and why, for people
 */
record HostParts(
    String vmm,
    Policy policy,
    Templates templates,
    SnapshotBuilder builder,
    Shelf shelf,
    Compactor compactor,
    ForkDesk forks,
    Branches branches,
    Comparer comparer,
    Foreground foreground,
    SandboxTable sandboxes,
    SandboxDesk desk,
    WorkspaceDesk workspaces,
    Pools pools,
    Scribe scribe,
    Keeper keeper,
    Confinement confinement,
    Wiring wiring,
    News news,
    Admission admission,
    ReadinessChecks readiness) {}
