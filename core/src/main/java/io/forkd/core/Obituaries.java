package io.forkd.core;

import io.forkd.base.SandboxId;
import java.util.List;
import java.util.Optional;

/** What is remembered of sandboxes that ended. */
interface Obituaries {
  void add(EndedSandbox ended);

  Optional<EndedSandbox> find(SandboxId id);

  /** Newest first. */
  List<EndedSandbox> recent(int most);
}
