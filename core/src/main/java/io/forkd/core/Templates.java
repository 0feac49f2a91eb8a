package io.forkd.core;

import io.forkd.base.ForkdException;
import io.forkd.base.Tag;
import io.forkd.store.Manifest;
import io.forkd.store.Store;
import io.forkd.store.StoredSnapshot;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/**
 * The snapshots that are ready to fork: loaded on first use, or there from the moment they were
 * branched. A template in use stays whole until its last user is done, even when its snapshot is
 * removed meanwhile.
 */
final class Templates implements AutoCloseable {
  private final Store store;
  private final Manifest.Vmm here;
  private final LayerPool layers;
  private final Map<Tag, Shared> byTag = new HashMap<>();

  Templates(Store store, Manifest.Vmm here, LayerPool layers) {
    this.store = store;
    this.here = here;
    this.layers = layers;
  }

  /** A use of a template that lasts until it is closed. */
  final class Lease implements AutoCloseable {
    private final Shared shared;
    private boolean closed;

    private Lease(Shared shared) {
      this.shared = shared;
    }

    Template template() {
      return shared.template();
    }

    /** Another use of the same template, whether or not its tag still means it. */
    Lease share() {
      synchronized (Templates.this) {
        if (closed) {
          throw ForkdException.notFound("the sandbox has ended.");
        }
        shared.users++;
      }
      return new Lease(shared);
    }

    @Override
    public void close() {
      synchronized (Templates.this) {
        if (!closed) {
          closed = true;
          shared.users--;
          shared.lastUse = System.nanoTime();
          closeIfUnused(shared);
        }
      }
    }
  }

  <T> T using(Tag tag, Function<Template, T> work) {
    try (Lease lease = lease(tag)) {
      return work.apply(lease.template());
    }
  }

  Lease lease(Tag tag) {
    Shared shared;
    synchronized (this) {
      shared = byTag.computeIfAbsent(tag, Shared::new);
      shared.users++;
    }
    Lease lease = new Lease(shared);
    try {
      shared.loadOnce();
      return lease;
    } catch (RuntimeException e) {
      synchronized (this) {
        byTag.remove(tag, shared);
        shared.forgotten = true;
      }
      lease.close();
      throw e;
    }
  }

  /** Makes the template of a fresh branch known before its snapshot is on disk. */
  synchronized Lease put(Template fresh) {
    forget(fresh.tag());
    Shared shared = new Shared(fresh.tag());
    shared.loaded = Optional.of(fresh);
    shared.users = 1;
    byTag.put(fresh.tag(), shared);
    return new Lease(shared);
  }

  /** Puts a better template in the place of one, which its users keep as long as they need it. */
  synchronized void replace(Template old, Template better) {
    Shared current = byTag.get(old.tag());
    if (current != null && current.loaded.filter(template -> template == old).isPresent()) {
      put(better).close();
    } else {
      better.close();
    }
  }

  /**
   * Lets go of the templates of branches nobody has used for a while; they are on disk. Bases stay:
   * they are what is forked again and again.
   */
  synchronized void rest(Duration idle) {
    long before = System.nanoTime() - idle.toNanos();
    List<Tag> resting =
        byTag.values().stream()
            .filter(shared -> shared.users == 0 && shared.lastUse - before < 0)
            .filter(shared -> shared.loaded.filter(Template::isBranch).isPresent())
            .map(shared -> shared.tag)
            .toList();
    resting.forEach(this::forget);
  }

  synchronized boolean isLoaded(Tag tag) {
    Shared shared = byTag.get(tag);
    return shared != null && shared.loaded.isPresent();
  }

  /** Lets go of a removed snapshot's memory. */
  synchronized void forget(Tag tag) {
    Shared shared = byTag.remove(tag);
    if (shared != null) {
      shared.forgotten = true;
      closeIfUnused(shared);
    }
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
    private long lastUse = System.nanoTime();
    private boolean forgotten;

    Shared(Tag tag) {
      this.tag = tag;
    }

    void loadOnce() {
      synchronized (loading) {
        if (loaded.isEmpty()) {
          List<StoredSnapshot> chain = store.chain(tag);
          chain.getLast().checkRestorableOn(here);
          loaded = Optional.of(Template.load(chain, layers));
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
