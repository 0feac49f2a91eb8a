package io.forkd.core;

import io.forkd.base.SandboxId;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/** Ends or pauses sandboxes, collects snapshots and lets templates go when their time has come. */
final class Keeper implements AutoCloseable {
  private static final Duration BETWEEN_LOOKS = Duration.ofSeconds(1);
  private static final int LOOKS_PER_COLLECTION = 5;
  private static final Duration IDLE = Duration.ofMinutes(1);

  private final SandboxTable sandboxes;
  private final Templates templates;
  private final Shelf shelf;
  private final Consumer<SandboxId> pause;
  private final Set<SandboxId> beingPaused = ConcurrentHashMap.newKeySet();
  private final Thread thread;

  /**
   * Begins to look.
   *
   * @param pause pauses a sandbox; may take seconds
   */
  Keeper(SandboxTable sandboxes, Templates templates, Shelf shelf, Consumer<SandboxId> pause) {
    this.sandboxes = sandboxes;
    this.templates = templates;
    this.shelf = shelf;
    this.pause = pause;
    thread = Thread.ofVirtual().name("keeper").start(this::keepLooking);
  }

  private void keepLooking() {
    for (long look = 1; ; look++) {
      try {
        Thread.sleep(BETWEEN_LOOKS);
        sandboxes.all().forEach(this::look);
        if (look % LOOKS_PER_COLLECTION == 0) {
          sandboxes.tidy();
          shelf.collect(false);
          templates.rest(IDLE);
        }
      } catch (InterruptedException e) {
        return;
      } catch (RuntimeException e) {
        Log.CORE.warn("looking for what has expired failed", e);
      }
    }
  }

  private void look(LiveSandbox sandbox) {
    Lifetime lifetime = sandbox.sandboxRecord().given().lifetime();
    if (sandbox.expired()) {
      over(sandbox, lifetime, new EndReason(EndReason.Kind.EXPIRED, "its time to live was over"));
    } else if (lifetime
        .idle()
        .filter(most -> sandbox.activity().idle().compareTo(most) > 0)
        .isPresent()) {
      over(
          sandbox,
          lifetime,
          new EndReason(
              EndReason.Kind.IDLE,
              "nobody had used it for %d s".formatted(lifetime.idle().get().toSeconds())));
    }
  }

  private void over(LiveSandbox sandbox, Lifetime lifetime, EndReason reason) {
    switch (lifetime.atEnd()) {
      case KILL ->
          // Beside the looking: a VMM that is slow to die must not keep the others alive.
          Thread.startVirtualThread(() -> end(sandbox, reason));
      case PAUSE -> {
        if (beingPaused.add(sandbox.id())) {
          Thread.startVirtualThread(() -> pause(sandbox, reason));
        }
      }
    }
  }

  private void end(LiveSandbox sandbox, EndReason reason) {
    try {
      sandboxes.end(sandbox.id(), reason);
    } catch (RuntimeException e) {
      Log.CORE.debug("{} was ended by somebody else: {}", sandbox.id(), e.toString());
    }
  }

  private void pause(LiveSandbox sandbox, EndReason reason) {
    try {
      Log.CORE.info("{} is paused: {}", sandbox.id(), reason.text());
      pause.accept(sandbox.id());
    } catch (RuntimeException e) {
      Log.CORE.warn("{} could not be paused: {}", sandbox.id(), e.toString());
    } finally {
      beingPaused.remove(sandbox.id());
    }
  }

  @Override
  public void close() {
    thread.interrupt();
    try {
      thread.join(Duration.ofSeconds(30));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
