package io.forkd.core;

import io.forkd.base.ForkdException;
import java.time.Duration;
import java.time.Instant;

/** Ends sandboxes, collects snapshots and lets templates go when their time has come. */
final class Keeper implements AutoCloseable {
  private static final Duration BETWEEN_LOOKS = Duration.ofSeconds(1);
  private static final int LOOKS_PER_COLLECTION = 5;
  private static final Duration IDLE = Duration.ofMinutes(1);

  private final SandboxTable sandboxes;
  private final Templates templates;
  private final Shelf shelf;
  private final Thread thread;

  Keeper(SandboxTable sandboxes, Templates templates, Shelf shelf) {
    this.sandboxes = sandboxes;
    this.templates = templates;
    this.shelf = shelf;
    thread = Thread.ofVirtual().name("keeper").start(this::keepLooking);
  }

  private void keepLooking() {
    for (long look = 1; ; look++) {
      try {
        Thread.sleep(BETWEEN_LOOKS);
        endExpired();
        if (look % LOOKS_PER_COLLECTION == 0) {
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

  private void endExpired() {
    long now = Instant.now().getEpochSecond();
    for (LiveSandbox sandbox : sandboxes.all()) {
      if (sandbox.sandboxRecord().expiresAtUnix().filter(end -> end <= now).isPresent()) {
        try {
          sandboxes.end(sandbox.id(), "its time to live was over");
        } catch (ForkdException e) {
          // Somebody else ended it first.
        }
      }
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
