package io.forkd.core;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(30)
class PoolTest {
  @TempDir Path temp;
  private FakeHost host;
  private final Pool pool = new Pool(FakeHost.TAG);

  @BeforeEach
  void open() throws IOException {
    host = new FakeHost(temp.resolve("run"));
  }

  @AfterEach
  void close() throws IOException {
    host.close();
  }

  private LiveSandbox parkOne() {
    LiveSandbox child = host.sandbox();
    assertThat(pool.claimFilling()).isTrue();
    assertThat(pool.park(child)).isTrue();
    return child;
  }

  private void assertStatus(int warm, int ready, int filling) {
    assertThat(pool.status())
        .isEqualTo(new PoolStatus(FakeHost.TAG, warm, ready, filling, Optional.empty()));
  }

  @Test
  void anEmptyPoolWantsAndGivesNothing() {
    assertStatus(0, 0, 0);
    assertThat(pool.claimFilling()).isFalse();
    assertThat(pool.take()).isEmpty();
  }

  @Test
  void asManyAreMadeAsAreMissingAndNoMore() {
    pool.resize(2);
    assertThat(pool.claimFilling()).isTrue();
    assertThat(pool.claimFilling()).isTrue();
    assertThat(pool.claimFilling()).isFalse();
    assertStatus(2, 0, 2);
    assertThat(pool.park(host.sandbox())).isTrue();
    assertThat(pool.park(host.sandbox())).isTrue();
    assertStatus(2, 2, 0);
    assertThat(pool.claimFilling()).isFalse();
  }

  @Test
  void theOldestIsTakenFirstAndItsPlaceIsFreeAtOnce() {
    pool.resize(2);
    LiveSandbox first = parkOne();
    LiveSandbox second = parkOne();
    assertThat(pool.take()).contains(first);
    assertThat(pool.claimFilling()).isTrue();
    assertThat(pool.take()).contains(second);
    assertThat(pool.take()).isEmpty();
  }

  @Test
  void shrinkingHandsOutTheNewestThatAreTooMany() {
    pool.resize(3);
    LiveSandbox first = parkOne();
    LiveSandbox second = parkOne();
    LiveSandbox third = parkOne();
    assertThat(pool.resize(1)).containsExactly(third, second);
    assertStatus(1, 1, 0);
    assertThat(pool.resize(0)).containsExactly(first);
    assertStatus(0, 0, 0);
  }

  @Test
  void aChildMadeForAPoolThatShrankMeanwhileIsNotTaken() {
    pool.resize(1);
    assertThat(pool.claimFilling()).isTrue();
    assertThat(pool.resize(0)).isEmpty();
    assertThat(pool.park(host.sandbox())).isFalse();
    assertStatus(0, 0, 0);
  }

  @Test
  void aFailureIsShownUntilOneSucceedsOrThePoolIsSetAnew() {
    pool.resize(1);
    for (int i = 0; i < 2; i++) {
      assertThat(pool.claimFilling()).isTrue();
      pool.fillingFailed("disk full", Duration.ZERO);
      assertThat(pool.status())
          .isEqualTo(new PoolStatus(FakeHost.TAG, 1, 0, 0, Optional.of("disk full")));
    }
    parkOne();
    assertStatus(1, 1, 0);
    pool.resize(2);
    assertThat(pool.claimFilling()).isTrue();
    pool.fillingFailed("disk full", Duration.ZERO);
    pool.resize(2);
    assertStatus(2, 1, 0);
  }

  @Test
  void afterAFailureNoneIsMadeForAWhileUnlessThePoolIsSetAnew() {
    pool.resize(2);
    assertThat(pool.claimFilling()).isTrue();
    pool.fillingFailed("disk full", Duration.ofDays(1));
    assertThat(pool.claimFilling()).isFalse();
    pool.resize(2);
    assertThat(pool.claimFilling()).isTrue();
  }

  @Test
  void aDeadChildIsForgottenOnce() {
    pool.resize(2);
    LiveSandbox child = parkOne();
    assertThat(pool.remove(child)).isTrue();
    assertThat(pool.remove(child)).isFalse();
    assertStatus(2, 0, 0);
    LiveSandbox taken = parkOne();
    assertThat(pool.take()).contains(taken);
    assertThat(pool.remove(taken)).as("one that was taken is no longer the pool's").isFalse();
    assertThat(List.of(pool.tag())).containsExactly(FakeHost.TAG);
  }
}
