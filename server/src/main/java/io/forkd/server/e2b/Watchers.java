package io.forkd.server.e2b;

import io.forkd.base.ForkdException;
import io.forkd.base.SandboxId;
import io.forkd.guest.FileWatch;
import io.forkd.server.http.JsonObject;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Watches that clients ask for news again and again. Each keeps the changes that nobody asked for
 * yet, up to a bound; one that nobody asks for some minutes is forgotten.
 */
final class Watchers implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(Watchers.class);

  static final int MOST_OF_A_SANDBOX = 64;
  private static final int MOST = 1024;
  private static final int MOST_CHANGES = 4096;
  private static final long PATIENCE_NANOS = TimeUnit.MINUTES.toNanos(10);
  private static final Duration LOOK = Duration.ofSeconds(5);

  private final Map<String, Watcher> watchers = new ConcurrentHashMap<>();

  String open(SandboxId sandbox, FileWatch watch, WatchShape shape) {
    Watcher watcher = new Watcher(sandbox, watch, shape);
    String id = UUID.randomUUID().toString();
    synchronized (this) {
      long own = watchers.values().stream().filter(w -> w.sandbox.equals(sandbox)).count();
      if (own >= MOST_OF_A_SANDBOX || watchers.size() >= MOST) {
        watch.close();
        throw new RpcFailure(
            RpcCode.RESOURCE_EXHAUSTED,
            "There are %d watchers: remove one with stop() first.".formatted(own));
      }
      watchers.put(id, watcher);
    }
    Thread.ofVirtual().name("e2b-watch").start(() -> follow(id, watcher));
    return id;
  }

  private void follow(String id, Watcher watcher) {
    try (FileWatch watch = watcher.watch) {
      while (watchers.containsKey(id) && !watcher.forgotten()) {
        Optional<FileWatch.Change> change = watch.next(LOOK);
        change.ifPresent(watcher::add);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (RuntimeException e) {
      log.debug("A watch of {} ended: {}", watcher.sandbox, e.toString());
    } finally {
      watchers.remove(id);
    }
  }

  List<JsonObject> events(SandboxId sandbox, String id) {
    return find(sandbox, id).take();
  }

  void remove(SandboxId sandbox, String id) {
    Watcher watcher = find(sandbox, id);
    watchers.remove(id);
    watcher.watch.close();
  }

  private Watcher find(SandboxId sandbox, String id) {
    return Optional.ofNullable(watchers.get(id))
        .filter(watcher -> watcher.sandbox.equals(sandbox))
        .orElseThrow(
            () ->
                ForkdException.notFound("There is no such watcher: it was removed or forgotten."));
  }

  @Override
  public void close() {
    watchers.values().forEach(watcher -> watcher.watch.close());
    watchers.clear();
  }

  /** One watch and the changes nobody asked for yet. */
  private static final class Watcher {
    private final SandboxId sandbox;
    private final FileWatch watch;
    private final WatchShape shape;
    private final Deque<FileWatch.Change> changes = new ArrayDeque<>();
    private long askedNanos = System.nanoTime();

    Watcher(SandboxId sandbox, FileWatch watch, WatchShape shape) {
      this.sandbox = sandbox;
      this.watch = watch;
      this.shape = shape;
    }

    synchronized void add(FileWatch.Change change) {
      if (changes.size() == MOST_CHANGES) {
        changes.removeFirst();
      }
      changes.addLast(change);
    }

    List<JsonObject> take() {
      List<FileWatch.Change> taken;
      synchronized (this) {
        askedNanos = System.nanoTime();
        taken = new ArrayList<>(changes);
        changes.clear();
      }
      return taken.stream().map(shape::of).toList();
    }

    synchronized boolean forgotten() {
      return System.nanoTime() - askedNanos > PATIENCE_NANOS;
    }
  }
}
