package io.forkd.core;

/**
 * What forkd on a host is made of.
 *
 * @param vmm the monitor guests run in and why, for people
 */
record HostParts(
    String vmm,
    Templates templates,
    SnapshotBuilder builder,
    Shelf shelf,
    Compactor compactor,
    Fleet fleet,
    Branches branches,
    Comparer comparer,
    Foreground foreground,
    SandboxTable sandboxes,
    Pools pools,
    Scribe scribe,
    Keeper keeper,
    Confinement confinement,
    Admission admission) {}
