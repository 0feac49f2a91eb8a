package io.forkd.core;

import io.forkd.base.SandboxId;
import io.forkd.base.Tag;
import io.forkd.store.Manifest;
import io.forkd.store.Pending;
import io.forkd.vmm.GuestShape;
import java.util.Locale;
import java.util.Optional;

/**
 * What is known of a branch from the moment its source runs again.
 *
 * @param birth tells it apart from any other snapshot of the same tag
 * @param automatic whether the tag was made up
 */
record BranchNote(
    Tag tag,
    String birth,
    Tag parent,
    String parentBirth,
    SandboxId source,
    BranchMode mode,
    double pauseMs,
    double captureMs,
    long deltaBytes,
    GuestShape shape,
    boolean automatic,
    long createdAtUnix,
    Optional<Long> expiresAtUnix,
    Optional<String> owner) {
  boolean full() {
    return mode == BranchMode.FULL;
  }

  private String modeName() {
    return mode.name().toLowerCase(Locale.ROOT);
  }

  Pending pending() {
    return Pending.writing(
        tag,
        createdAtUnix,
        shape.memoryMib(),
        full() ? Optional.empty() : Optional.of(parent),
        Optional.of(branch()),
        expiresAtUnix,
        owner);
  }

  private Manifest.Branch branch() {
    return new Manifest.Branch(source, modeName(), pauseMs, captureMs, deltaBytes, automatic);
  }

  /** Its manifest, made of its parent's. */
  Manifest manifest(
      Manifest below,
      Manifest.MemoryLayer memory,
      Manifest.StateFile deviceState,
      Manifest.StateFile rootfs) {
    return below.heir(
        tag,
        createdAtUnix,
        memory,
        deviceState,
        rootfs,
        full() ? Optional.empty() : Optional.of(new Manifest.Parent(parent, below.contentHash())),
        Optional.of(branch()),
        expiresAtUnix,
        birth,
        owner);
  }
}
