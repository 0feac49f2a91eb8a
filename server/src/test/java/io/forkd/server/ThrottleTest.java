package io.forkd.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.forkd.server.http.HttpProblem;
import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ThrottleTest {
  private static final Principal USER = new Principal("u", Role.USER, Optional.of("u"));
  private static final Principal OTHER = new Principal("o", Role.USER, Optional.of("o"));

  private long now;
  private final Throttle throttle = new Throttle(new Throttle.Limits(10, 3, 2), () -> now);

  @Test
  void savedUpRequestsAreUsedUpAndComeBackWithTime() {
    for (int i = 0; i < 3; i++) {
      throttle.enter(USER, false).close();
    }
    assertThatThrownBy(() -> throttle.enter(USER, false))
        .isInstanceOfSatisfying(
            HttpProblem.class,
            problem -> {
              assertThat(problem.status()).isEqualTo(429);
              assertThat(problem.headers()).containsEntry("Retry-After", "1");
            })
        .hasMessageContaining("more than 10 requests a second");
    throttle.enter(OTHER, false).close();
    now += Duration.ofMillis(100).toNanos();
    throttle.enter(USER, false).close();
    assertThatThrownBy(() -> throttle.enter(USER, false)).isInstanceOf(HttpProblem.class);
    now += Duration.ofHours(1).toNanos();
    for (int i = 0; i < 3; i++) {
      throttle.enter(USER, false).close();
    }
    assertThatThrownBy(() -> throttle.enter(USER, false)).isInstanceOf(HttpProblem.class);
  }

  @Test
  void onlySoManyRequestsAreUnderWay() {
    Throttle.Pass first = throttle.enter(USER, false);
    throttle.enter(USER, false);
    assertThatThrownBy(() -> throttle.enter(USER, false))
        .isInstanceOf(HttpProblem.class)
        .hasMessageContaining("2 requests under way");
    first.close();
    now += Duration.ofSeconds(1).toNanos();
    throttle.enter(USER, false);
  }

  @Test
  void streamsAreCountedByThemselves() {
    Throttle.Pass stream = throttle.enter(USER, false);
    stream.lasts();
    throttle.enter(USER, false).lasts();
    now += Duration.ofSeconds(1).toNanos();
    Throttle.Pass third = throttle.enter(USER, false);
    assertThatThrownBy(third::lasts)
        .isInstanceOf(HttpProblem.class)
        .hasMessageContaining("2 streams open");
    stream.close();
    third.lasts();
    throttle.enter(USER, false);
    now += Duration.ofSeconds(1).toNanos();
    throttle.enter(USER, false);
    assertThatThrownBy(() -> throttle.enter(USER, false))
        .isInstanceOf(HttpProblem.class)
        .hasMessageContaining("2 requests under way");
  }

  @Test
  void whoeverIsMasterOfThisHostIsNotHeldUp() {
    Principal root = Principal.unbound("uid:0", Role.ADMIN);
    for (int i = 0; i < 100; i++) {
      throttle.enter(root, true);
    }
    for (int i = 0; i < 2; i++) {
      throttle.enter(root, false);
    }
    assertThatThrownBy(() -> throttle.enter(root, false)).isInstanceOf(HttpProblem.class);
    throttle.enter(USER, true);
    throttle.enter(USER, true);
    assertThatThrownBy(() -> throttle.enter(USER, true)).isInstanceOf(HttpProblem.class);
  }

  @Test
  void strangersAreHeldUpByAddress() {
    for (int i = 0; i < 100; i++) {
      throttle.stranger("192.0.2.1");
    }
    assertThatThrownBy(() -> throttle.stranger("192.0.2.1"))
        .isInstanceOf(HttpProblem.class)
        .hasMessageContaining("without a valid token");
    throttle.stranger("192.0.2.2");
  }

  @Test
  void aCallerOverItsRateIsToldWhenToComeBack() throws IOException {
    ApiKeys keys = new ApiKeys(KeyStore.inMemory(), InstantSource.system());
    String header =
        "Authorization: Bearer "
            + keys.create("ci", Role.USER, Optional.empty(), Optional.empty()).key().text();
    Throttle.Limits tight = new Throttle.Limits(1, 1, 10);
    try (TestServer server =
        TestServer.with(new Access(Optional.empty(), keys, Principals.Door.LOCAL, tight))) {
      // The bucket refills once a second at most, so of many requests nearly all are refused.
      int refused = 0;
      for (int i = 0; i < 20; i++) {
        Answer answer = server.get("/v1/whoami", header);
        if (answer.status() == 429) {
          refused++;
          assertThat(answer.header("retry-after")).isNotEmpty();
          assertThat(answer.error()).contains("try again");
        }
      }
      assertThat(refused).isPositive();
      try (Wire unix = server.unix()) {
        unix.request("GET", "/healthz", "");
        assertThat(unix.answer().status()).isEqualTo(200);
      }
    }
  }
}
