package io.forkd.core.net;

import static org.assertj.core.api.Assertions.assertThat;

import io.forkd.core.Egress;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class GrantsTest {
  private static final long A = 0x08080808L;
  private static final long B = 0x01010101L;

  private long now = Long.MAX_VALUE - 1000; // nanoTime may overflow at any moment
  private final Grants grants = new Grants(() -> now);

  private Map<Long, Duration> learn(String name, long address, int ttl) {
    Map<Long, Duration> missing = grants.missing(Map.of(address, Duration.ofSeconds(ttl)));
    grants.remember(name, Set.of(address), missing);
    return missing;
  }

  private static Reach allowing(String... names) {
    return EgressRules.reachOf(new Egress.Allowlist(List.of(names), List.of()));
  }

  private void pass(int seconds) {
    now += Duration.ofSeconds(seconds).toNanos();
  }

  @Test
  void anAddressStaysOpenLongerThanTheGuestMayRememberIt() {
    assertThat(learn("a.org", A, 1)).containsEntry(A, Duration.ofSeconds(60));
    assertThat(learn("b.org", B, 300)).containsEntry(B, Duration.ofSeconds(330));
  }

  @Test
  void anAddressThatIsOpenLongEnoughIsNotOpenedAgain() {
    learn("a.org", A, 300);
    pass(30);
    assertThat(learn("a.org", A, 270)).isEmpty();
    assertThat(learn("a.org", A, 301)).containsKey(A);
  }

  @Test
  void aNameThatIsNotAllowedAnyMoreTakesItsAddressesAlong() {
    learn("a.org", A, 300);
    learn("b.org", A, 5);
    learn("b.org", B, 300);
    assertThat(grants.keep(allowing("b.org"))).containsOnlyKeys(A, B);
    assertThat(grants.keep(allowing("c.org"))).isEmpty();
    assertThat(grants.size()).isZero();
  }

  @Test
  void whatHasEndedIsForgotten() {
    learn("a.org", A, 1);
    pass(61);
    learn("b.org", B, 1);
    assertThat(grants.size()).isEqualTo(1);
    assertThat(grants.keep(allowing("a.org", "b.org")))
        .containsExactlyEntriesOf(Map.of(B, Duration.ofSeconds(60)));
  }
}
