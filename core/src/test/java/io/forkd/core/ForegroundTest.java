package io.forkd.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class ForegroundTest {
  private static final Duration FOREVER = Duration.ofDays(1);

  @Test
  void noMorePiecesRunAtOnceThanAllowed() {
    Foreground foreground = new Foreground(3);
    AtomicInteger now = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int i = 0; i < 60; i++) {
        var _ =
            threads.submit(
                () ->
                    foreground.piece(
                        () -> {
                          most.accumulateAndGet(now.incrementAndGet(), Math::max);
                          pause();
                          return now.decrementAndGet();
                        }));
      }
    }
    assertThat(most.get()).isEqualTo(3);
  }

  private static void pause() {
    try {
      Thread.sleep(2);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void aPieceThatFailsGivesItsPlaceBack() {
    Foreground foreground = new Foreground(1);
    for (int i = 0; i < 3; i++) {
      assertThatThrownBy(() -> foreground.piece(ForegroundTest::fail)).hasMessage("on purpose");
      assertThatThrownBy(() -> foreground.request(ForegroundTest::fail)).hasMessage("on purpose");
    }
    assertThat(foreground.<String>piece(() -> "done")).isEqualTo("done");
  }

  private static String fail() {
    throw new IllegalStateException("on purpose");
  }

  @Test
  void backgroundWorkGoesAheadWhenNothingIsGoingOn() throws InterruptedException {
    new Foreground(1).awaitQuiet(FOREVER);
  }

  @Test
  void backgroundWorkWaitsForTheEndOfEveryRequest() throws Exception {
    Foreground foreground = new Foreground(1);
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch finish = new CountDownLatch(1);
    AtomicBoolean finished = new AtomicBoolean();
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      Future<?> request =
          threads.submit(
              () ->
                  foreground.request(
                      () -> {
                        begun.countDown();
                        awaitQuietly(finish);
                        finished.set(true);
                        return finished;
                      }));
      begun.await();
      Future<Boolean> background =
          threads.submit(
              () -> {
                foreground.awaitQuiet(FOREVER);
                return finished.get();
              });
      finish.countDown();
      request.get();
      assertThat(background.get()).isTrue();
    }
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void backgroundWorkGoesAheadUnderSteadyLoadToo() {
    Foreground foreground = new Foreground(1);
    assertThat(
            foreground.<String>request(
                () -> {
                  try {
                    foreground.awaitQuiet(Duration.ofMillis(100));
                    return "went ahead";
                  } catch (InterruptedException e) {
                    return "interrupted";
                  }
                }))
        .isEqualTo("went ahead");
  }
}
