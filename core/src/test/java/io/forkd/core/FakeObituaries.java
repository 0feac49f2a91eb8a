package io.forkd.core;

import io.forkd.base.SandboxId;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;

/** Ended sandboxes in memory. */
final class FakeObituaries implements Obituaries {
  final List<EndedSandbox> all = new CopyOnWriteArrayList<>();

  @Override
  public void add(EndedSandbox ended) {
    all.addFirst(ended);
  }

  @Override
  public void settle() {}

  @Override
  public Optional<EndedSandbox> find(SandboxId id) {
    return all.stream().filter(ended -> ended.id().equals(id)).findFirst();
  }

  @Override
  public List<EndedSandbox> recent(int most) {
    return all.stream().limit(most).toList();
  }
}
