package io.forkd.server;

import io.forkd.server.http.Json;
import io.forkd.server.http.JsonObject;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Who did what to what with which result, as lines of JSON in a file.
 *
 * <p>Requests hand their lines to a bounded queue and never wait; one thread writes them, all that
 * are there at once. A line that cannot be written, because the queue or the disk is full, is
 * counted and lost.
 */
final class AuditLog implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(AuditLog.class);
  private static final int QUEUE = 8192;
  private static final int BATCH = 512;

  /** So that a stranger without a token cannot push out of the log what others did. */
  private static final int STRANGERS_PER_SECOND = 20;

  private static final Duration LONGEST_CLOSE = Duration.ofSeconds(5);

  /** No line is as short. */
  private static final byte[] END = new byte[0];

  private final RotatingFile file;
  private final Counter drops;
  private final BlockingQueue<byte[]> queue = new ArrayBlockingQueue<>(QUEUE);
  private final AtomicLong second = new AtomicLong();
  private final AtomicInteger strangers = new AtomicInteger();
  private final Thread writer;
  private volatile boolean failing;

  /**
   * @param drops counts lines that were lost
   */
  AuditLog(RotatingFile file, Counter drops) {
    this.file = file;
    this.drops = drops;
    this.writer = Thread.ofVirtual().name("audit").start(this::run);
  }

  /**
   * Writes a line soon.
   *
   * @param stranger whether nobody knows who sent the request
   */
  void write(JsonObject line, boolean stranger) {
    if (stranger && isFlood()) {
      drops.increment("flood");
    } else if (!queue.offer(Json.bytes(line))) {
      drops.increment("queue_full");
    }
  }

  /** About right is enough here: a request that races the turn of a second may be let through. */
  private boolean isFlood() {
    long now = System.nanoTime() / 1_000_000_000;
    if (second.getAndSet(now) != now) {
      strangers.set(0);
    }
    return strangers.incrementAndGet() > STRANGERS_PER_SECOND;
  }

  private void run() {
    List<byte[]> batch = new ArrayList<>();
    try {
      while (true) {
        batch.add(queue.take());
        queue.drainTo(batch, BATCH - 1);
        boolean ended = batch.removeIf(line -> line.length == 0);
        append(batch);
        batch.clear();
        if (ended) {
          return;
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      file.close();
    }
  }

  private void append(List<byte[]> lines) {
    if (lines.isEmpty()) {
      return;
    }
    try {
      file.append(lines);
      if (failing) {
        log.info("The audit log {} can be written again", file);
      }
      failing = false;
    } catch (IOException | RuntimeException e) {
      drops.add(lines.size(), "write_failed");
      if (!failing) {
        log.warn("Cannot write the audit log {}: {}; lines are lost until that is mended", file, e);
      }
      failing = true;
    }
  }

  /** Writes what was handed over before. */
  @Override
  public void close() {
    try {
      boolean told = queue.offer(END, LONGEST_CLOSE.toMillis(), TimeUnit.MILLISECONDS);
      if (!told || !writer.join(LONGEST_CLOSE)) {
        log.warn("The audit log {} could not be written to its end", file);
        writer.interrupt();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
