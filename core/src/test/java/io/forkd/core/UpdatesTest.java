package io.forkd.core;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class UpdatesTest {
  private static final Limits BEFORE = limits(Optional.of(256), Optional.of(0.5));
  private static final ChildSpec GIVEN =
      new ChildSpec(
          BEFORE, Lifetime.UNLIMITED, Optional.of(Egress.NONE), Map.of("a", "b"), Optional.empty());

  private static Limits limits(Optional<Integer> memory, Optional<Double> cpus) {
    return new Limits(memory, cpus, Optional.empty(), Optional.empty());
  }

  private static SandboxChange change(Optional<Limits> limits) {
    return new SandboxChange(limits, Optional.empty(), Optional.empty(), Optional.empty());
  }

  @Test
  void whatIsNotChangedStays() {
    assertThat(Updates.merged(GIVEN, change(Optional.empty()))).isEqualTo(GIVEN);
  }

  @Test
  void aLimitThatIsNotAmongTheNewOnesIsLifted() {
    Limits now = limits(Optional.of(256), Optional.empty());

    assertThat(Updates.merged(GIVEN, change(Optional.of(now))).limits()).isEqualTo(now);
  }

  @Test
  void aLiftedLimitIsTheOperatorsDefaultAgain() {
    Policy policy =
        new Policy(
            limits(Optional.empty(), Optional.of(2.0)),
            Egress.INTERNET,
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            true);

    assertThat(policy.complete(change(Optional.of(Limits.NONE))))
        .isEqualTo(change(Optional.of(limits(Optional.empty(), Optional.of(2.0)))));
    assertThat(policy.complete(change(Optional.empty()))).isEqualTo(change(Optional.empty()));
  }
}
