package io.forkd.core;

import io.forkd.base.SandboxId;
import io.forkd.registry.Registry;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Ended sandboxes in the registry, told to whoever listens. */
final class EndRows implements Obituaries {
  private final Registry registry;
  private final Events events;

  EndRows(Registry registry, Events events) {
    this.registry = registry;
    this.events = events;
  }

  @Override
  public void add(EndedSandbox ended) {
    try {
      registry.ends().add(ended.id().value(), RecordJson.write(ended), ended.endedAt());
    } catch (RuntimeException e) {
      // It has ended all the same, and its traces must still be removed.
      Log.CORE.warn("why {} ended cannot be noted: {}", ended.id(), e.toString());
    }
    events.tell(
        "sandbox.ended",
        ended.id().value(),
        ended.owner(),
        Map.of("reason", Events.word(ended.reason().kind()), "text", ended.reason().text()));
  }

  @Override
  public Optional<EndedSandbox> find(SandboxId id) {
    return registry
        .ends()
        .get(id.value())
        .flatMap(row -> RecordJson.read(row.json(), EndedSandbox.class));
  }

  @Override
  public List<EndedSandbox> recent(int most) {
    return registry.ends().recent(most).stream()
        .flatMap(row -> RecordJson.read(row.json(), EndedSandbox.class).stream())
        .toList();
  }
}
