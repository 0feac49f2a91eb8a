package io.forkd.core;

import io.forkd.base.ForkdException;
import io.forkd.base.SandboxId;
import io.forkd.base.Tag;
import io.forkd.store.Store;
import java.util.Optional;

/** Finds what sandboxes were forked from, and holds that it is still what it was. */
final class Origins {
  private final Store store;
  private final Templates templates;

  Origins(Store store, Templates templates) {
    this.store = store;
    this.templates = templates;
  }

  /** The template a sandbox came from, found again by its tag when another daemon restored it. */
  Templates.Lease of(LiveSandbox source) {
    Optional<Templates.Lease> known = source.origin();
    if (known.isPresent()) {
      return known.get();
    }
    SandboxRecord entry = source.sandboxRecord();
    if (!store.isBeingWritten(entry.snapshotTag())) {
      requireThere(source.id(), entry.snapshotTag());
    }
    Templates.Lease found = templates.lease(entry.snapshotTag());
    try {
      requireBirth(source.id(), entry.snapshotTag(), found.template().birth(), entry.birth());
    } catch (ForkdException e) {
      found.close();
      throw e;
    }
    source.origin(found);
    return source.origin().orElse(found);
  }

  /** A delta makes sense only on the very snapshot its sandbox came from. */
  void requireUnchanged(LiveSandbox source, Template from) {
    if (store.isBeingWritten(from.tag())) {
      return; // looked at again when it is on disk
    }
    requireThere(source.id(), from.tag());
    requireBirth(source.id(), from.tag(), store.get(from.tag()).manifest().birth(), from.birth());
  }

  private void requireThere(SandboxId source, Tag tag) {
    if (!store.exists(tag)) {
      throw ForkdException.conflict(
          "sandbox %s cannot be branched: its snapshot %s was removed. Fork a new sandbox.",
          source, tag);
    }
  }

  static void requireBirth(SandboxId source, Tag tag, String found, String expected) {
    if (!found.equals(expected)) {
      throw ForkdException.conflict(
          "sandbox %s cannot be branched: its snapshot %s was removed, and the tag now means"
              + " another one. Fork a new sandbox.",
          source, tag);
    }
  }
}
