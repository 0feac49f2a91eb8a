package io.forkd.core;

import io.forkd.base.SandboxId;
import io.forkd.registry.Registry;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Ended sandboxes in the registry, told to whoever listens. A sandbox's record goes in the instant
 * its end is noted, so that at any time exactly one of them is there.
 */
final class EndRows implements Obituaries {
  private final Registry registry;
  private final Events events;

  /** Those the registry had no room for; the sandboxes have ended all the same. */
  private final Map<SandboxId, EndedSandbox> unwritten = new ConcurrentHashMap<>();

  EndRows(Registry registry, Events events) {
    this.registry = registry;
    this.events = events;
  }

  @Override
  public void add(EndedSandbox ended) {
    unwritten.put(ended.id(), ended);
    write(ended);
    events.tell(
        "sandbox.ended",
        ended.id().value(),
        ended.owner(),
        Map.of("reason", Events.word(ended.reason().kind()), "text", ended.reason().text()));
  }

  @Override
  public void settle() {
    unwritten.values().forEach(this::write);
  }

  private void write(EndedSandbox ended) {
    try {
      registry.ordinarily(
          () -> {
            registry.ends().add(ended.id().value(), RecordJson.write(ended), ended.endedAt());
            return registry.sandboxes().remove(ended.id().value());
          });
      unwritten.remove(ended.id(), ended);
    } catch (RuntimeException e) {
      Log.CORE.warn("why {} ended cannot be noted yet: {}", ended.id(), e.toString());
    }
  }

  @Override
  public Optional<EndedSandbox> find(SandboxId id) {
    return Optional.ofNullable(unwritten.get(id))
        .or(
            () ->
                registry
                    .ends()
                    .get(id.value())
                    .flatMap(row -> RecordJson.read(row.json(), EndedSandbox.class)));
  }

  @Override
  public List<EndedSandbox> recent(int most) {
    return registry.ends().recent(most).stream()
        .flatMap(row -> RecordJson.read(row.json(), EndedSandbox.class).stream())
        .toList();
  }
}
