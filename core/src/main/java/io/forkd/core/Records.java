package io.forkd.core;

import io.forkd.base.SandboxId;
import java.util.List;
import java.util.Optional;

/** What is kept of sandboxes beyond the life of a daemon. */
interface Records {
  /** Kept when this returns, whatever happens to the daemon. */
  void put(SandboxRecord sandboxRecord);

  /** Kept when this returns, whatever happens to the host. */
  void putDurably(SandboxRecord sandboxRecord);

  /** Never fails: what cannot be removed now is removed later. */
  void remove(SandboxId id);

  /** Empty when there is none that can be read. */
  Optional<SandboxRecord> find(SandboxId id);

  /** The ids of all there are, also of those that cannot be read. */
  List<SandboxId> ids();
}
