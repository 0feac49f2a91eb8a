package io.forkd.client;

import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Flow;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Hands lines from the HTTP client's threads to the caller's, and ends when they stop coming. */
final class LineQueue implements Flow.Subscriber<String> {
  private final BlockingQueue<Optional<String>> lines = new LinkedBlockingQueue<>();
  private final Duration longestSilence;

  LineQueue(Duration longestSilence) {
    this.longestSilence = longestSilence;
  }

  /** Runs on the caller's thread until the last line was delivered. */
  void deliver(Consumer<String> consumer) throws InterruptedException, IOException {
    while (true) {
      Optional<String> line = lines.poll(longestSilence.toMillis(), TimeUnit.MILLISECONDS);
      if (line == null) {
        throw new IOException("nothing for " + longestSilence.toSeconds() + " s");
      }
      if (line.isEmpty()) {
        return;
      }
      if (!line.get().isBlank()) {
        consumer.accept(line.get());
      }
    }
  }

  @Nullable Void end() {
    lines.add(Optional.empty());
    return null;
  }

  @Override
  public void onSubscribe(Flow.Subscription subscription) {
    subscription.request(Long.MAX_VALUE);
  }

  @Override
  public void onNext(String line) {
    lines.add(Optional.of(line));
  }

  @Override
  public void onError(Throwable problem) {
    end();
  }

  @Override
  public void onComplete() {
    end();
  }
}
