package io.forkd.core;

import io.forkd.base.Tag;
import io.forkd.store.Manifest;
import io.forkd.store.Store;
import io.forkd.store.StoredSnapshot;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/**
 * The snapshots that are ready to fork, loaded on first use. A template in use stays whole until
 * its last user is done, even when its snapshot is removed meanwhile.
 */
final class Templates implements AutoCloseable {
  private final Store store;
  private final Manifest.Vmm here;
  private final Map<Tag, Shared> byTag = new HashMap<>();

  Templates(Store store, Manifest.Vmm here) {
    this.store = store;
    this.here = here;
  }

  <T> T using(Tag tag, Function<Template, T> work) {
    Shared shared = acquire(tag);
    try {
      return work.apply(shared.template());
    } finally {
      release(shared);
    }
  }

  /** Lets go of a removed snapshot's memory. */
  synchronized void forget(Tag tag) {
    Shared shared = byTag.remove(tag);
    if (shared != null) {
      shared.forgotten = true;
      closeIfUnused(shared);
    }
  }

  private Shared acquire(Tag tag) {
    Shared shared;
    synchronized (this) {
      shared = byTag.computeIfAbsent(tag, Shared::new);
      shared.users++;
    }
    try {
      shared.loadOnce();
      return shared;
    } catch (RuntimeException e) {
      synchronized (this) {
        byTag.remove(tag, shared);
        shared.forgotten = true;
      }
      release(shared);
      throw e;
    }
  }

  private synchronized void release(Shared shared) {
    shared.users--;
    closeIfUnused(shared);
  }

  private void closeIfUnused(Shared shared) {
    if (shared.forgotten && shared.users == 0) {
      shared.close();
    }
  }

  @Override
  public synchronized void close() {
    byTag.keySet().stream().toList().forEach(this::forget);
  }

  /** A template and how many use it. Its counters belong to the lock of {@link Templates}. */
  private final class Shared {
    private final Tag tag;
    private final Object loading = new Object();
    private volatile Optional<Template> loaded = Optional.empty();
    private int users;
    private boolean forgotten;

    Shared(Tag tag) {
      this.tag = tag;
    }

    void loadOnce() {
      synchronized (loading) {
        if (loaded.isEmpty()) {
          StoredSnapshot snapshot = store.get(tag);
          snapshot.checkRestorableOn(here);
          loaded = Optional.of(Template.load(snapshot));
        }
      }
    }

    Template template() {
      return loaded.orElseThrow();
    }

    void close() {
      loaded.ifPresent(Template::close);
    }
  }
}
