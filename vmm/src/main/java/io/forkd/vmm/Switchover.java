package io.forkd.vmm;

import io.forkd.base.ForkdException;
import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * What happens beside the reading of a guest's memory: QEMU stops the guest when little is left, is
 * then told to send the rest, and is hung up on when any of that takes too long.
 */
final class Switchover implements AutoCloseable {
  /** Far above what the rest can take, since it is meant to take milliseconds. */
  private static final Duration REST = Duration.ofSeconds(30);

  private final Precopy precopy;
  private final SocketChannel channel;
  private final Duration patience;
  private final CompletableFuture<Long> stopped;
  private final CompletableFuture<Void> read = new CompletableFuture<>();
  private final Thread conductor;
  private volatile Optional<RuntimeException> failure = Optional.empty();
  private volatile boolean late;

  /**
   * Begins to wait for the guest's stop.
   *
   * @param patience how long the guest may run on
   */
  Switchover(Precopy precopy, SocketChannel channel, Duration patience) {
    this.precopy = precopy;
    this.channel = channel;
    this.patience = patience;
    this.stopped = precopy.qmp().nextStop();
    this.conductor = Thread.ofVirtual().name("forkd-switchover").start(this::conduct);
  }

  /** Reading that ends with the stream. */
  interface Reading {
    void run() throws IOException;
  }

  /** Reads to the end. */
  void during(Reading reading) throws IOException {
    try {
      reading.run();
    } catch (IOException e) {
      close();
      if (failure.isPresent()) {
        throw failure.get();
      }
      if (late) {
        throw new IOException(
            "the guest wrote faster than it was copied for %d s".formatted(patience.toSeconds()),
            e);
      }
      throw e;
    }
  }

  /** When the guest came to stand. Only a guest that was seen to stop is known to. */
  long stoppedAt() throws IOException {
    if (!stopped.isDone() || stopped.isCompletedExceptionally()) {
      throw new IOException("QEMU sent all memory without stopping the guest");
    }
    return stopped.join();
  }

  private void conduct() {
    try {
      stopped.get(patience.toNanos(), TimeUnit.NANOSECONDS);
      precopy.finish();
      read.get(REST.toNanos(), TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      late = true;
      hangUp();
    } catch (ForkdException e) {
      failure = Optional.of(e);
      hangUp();
    } catch (CancellationException | ExecutionException | InterruptedException e) {
      // The reader has ended before.
    }
  }

  private void hangUp() {
    try {
      channel.close();
    } catch (IOException e) {
      // Nothing is left to release.
    }
  }

  /** Waits until nothing more happens beside. */
  @Override
  public void close() {
    stopped.cancel(false);
    read.complete(null);
    boolean interrupted = Thread.interrupted();
    while (true) {
      try {
        conductor.join();
        break;
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
