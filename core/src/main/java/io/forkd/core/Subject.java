package io.forkd.core;

import io.forkd.base.SandboxId;
import io.forkd.base.Tag;

/** Something that can be compared: a snapshot or a running sandbox. */
public sealed interface Subject {
  /** A snapshot, seen through a child made for the comparison. */
  record OfSnapshot(Tag tag) implements Subject {
    @Override
    public String toString() {
      return tag.toString();
    }
  }

  /** A sandbox as it is now. */
  record OfSandbox(SandboxId id) implements Subject {
    @Override
    public String toString() {
      return id.toString();
    }
  }

  /** Whatever has that name: sandbox ids look like nothing else. */
  static Subject named(String name) {
    return SandboxId.isValid(name)
        ? new OfSandbox(SandboxId.of(name))
        : new OfSnapshot(Tag.of(name));
  }
}
