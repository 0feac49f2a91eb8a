package io.forkd.core;

import io.forkd.base.SandboxId;
import java.util.List;
import java.util.Optional;

/** What is remembered of sandboxes that ended. */
interface Obituaries {
  /** Also takes the sandbox's record away. Never fails: what cannot be kept now is kept later. */
  void add(EndedSandbox ended);

  /** Keeps what could not be kept before. */
  void settle();

  Optional<EndedSandbox> find(SandboxId id);

  /** Newest first. */
  List<EndedSandbox> recent(int most);
}
