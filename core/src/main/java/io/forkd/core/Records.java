package io.forkd.core;

import io.forkd.base.SandboxId;

/** What is kept of sandboxes beyond the life of a daemon. */
interface Records {
  /** Kept when this returns, whatever happens to the daemon. */
  void put(SandboxRecord sandboxRecord);

  /** Kept when this returns, whatever happens to the host. */
  void putDurably(SandboxRecord sandboxRecord);

  void remove(SandboxId id);
}
