package io.forkd.bench;

import io.forkd.client.ForkdClient;
import io.forkd.client.ForkdClientException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

/** The most memory a daemon uses while this is open, looked at ten times a second. */
final class Peak implements AutoCloseable {
  static final String HEAP = "jvm_memory_used_bytes{area=\"heap\"}";
  static final String RESIDENT = "process_resident_memory_bytes";
  private static final Duration PAUSE = Duration.ofMillis(100);

  private final ForkdClient client;
  private final AtomicLong heap = new AtomicLong();
  private final AtomicLong resident = new AtomicLong();
  private final Thread watcher;

  Peak(ForkdClient client) {
    this.client = client;
    look();
    this.watcher = Thread.ofVirtual().name("peak").start(this::watch);
  }

  long heapBytes() {
    return heap.get();
  }

  long residentBytes() {
    return resident.get();
  }

  private void watch() {
    try {
      while (true) {
        Thread.sleep(PAUSE);
        look();
      }
    } catch (InterruptedException | ForkdClientException e) {
      // Whoever measures hears of a daemon that is gone by other ways.
      return;
    }
  }

  private void look() {
    note(heap, HEAP);
    note(resident, RESIDENT);
  }

  private void note(AtomicLong peak, String series) {
    client
        .usage()
        .metric(series)
        .ifPresent(value -> peak.accumulateAndGet((long) value, Math::max));
  }

  @Override
  public void close() {
    watcher.interrupt();
  }
}
