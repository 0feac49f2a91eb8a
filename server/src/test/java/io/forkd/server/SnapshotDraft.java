package io.forkd.server;

import io.forkd.base.Tag;
import io.forkd.core.Snapshot;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** A snapshot for tests, plausible in every field that is not set. */
final class SnapshotDraft {
  private final Tag tag;
  private Snapshot.Status status = Snapshot.Status.READY;
  private boolean bootable = true;
  private Optional<String> warning = Optional.empty();
  private String contentHash = "sha256:abc";
  private long physicalBytes = 90_000_000L;
  private Optional<Snapshot.Parent> parent = Optional.empty();
  private int chainDepth;
  private Optional<Snapshot.Branch> branch = Optional.empty();
  private Optional<String> owner = Optional.empty();
  private Optional<Instant> expiresAt = Optional.empty();

  SnapshotDraft(String tag) {
    this.tag = Tag.of(tag);
  }

  static SnapshotDraft like(Snapshot snapshot) {
    SnapshotDraft draft = new SnapshotDraft(snapshot.tag().value());
    draft.status = snapshot.status();
    draft.bootable = snapshot.bootable();
    draft.warning = snapshot.warning();
    draft.contentHash = snapshot.contentHash();
    draft.physicalBytes = snapshot.memoryPhysicalBytes();
    draft.parent = snapshot.parent();
    draft.chainDepth = snapshot.chainDepth();
    draft.branch = snapshot.branch();
    draft.expiresAt = snapshot.expiresAt();
    draft.owner = snapshot.owner();
    return draft;
  }

  SnapshotDraft status(Snapshot.Status value) {
    status = value;
    return this;
  }

  /** As a snapshot is shown that cannot be used. */
  SnapshotDraft failed(String why) {
    status = Snapshot.Status.FAILED;
    bootable = false;
    warning = Optional.of(why);
    return this;
  }

  SnapshotDraft contentHash(String value) {
    contentHash = value;
    return this;
  }

  SnapshotDraft physicalBytes(long value) {
    physicalBytes = value;
    return this;
  }

  SnapshotDraft childOf(Snapshot value) {
    parent = Optional.of(new Snapshot.Parent(value.tag(), value.contentHash()));
    chainDepth = value.chainDepth() + 1;
    return this;
  }

  SnapshotDraft branch(Snapshot.Branch value) {
    branch = Optional.of(value);
    return this;
  }

  SnapshotDraft owner(Optional<String> value) {
    owner = value;
    return this;
  }

  SnapshotDraft expiresAt(Optional<Instant> value) {
    expiresAt = value;
    return this;
  }

  Snapshot done() {
    return new Snapshot(
        tag,
        Path.of("/data/snapshots", tag.value()),
        FakeForkd.CREATED,
        status,
        bootable,
        warning,
        "recipe python-numpy",
        "aarch64",
        "qemu 7.2.22 tcg",
        "virt",
        512,
        1,
        536_870_912L,
        physicalBytes,
        1_234L,
        contentHash,
        List.of("python"),
        parent,
        chainDepth,
        branch,
        expiresAt,
        owner);
  }
}
