package io.forkd.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.forkd.base.ErrorCode;
import io.forkd.base.ForkdException;
import java.util.Optional;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ForkSpecTest {
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 100, 999, 1000})
  void anyNumberUpToAThousandMayBeAskedFor(int n) {
    ForkSpec spec = new ForkSpec(FakeHost.TAG, n, Optional.empty());
    assertThat(spec.n()).isEqualTo(n);
    assertThat(spec.measure()).isFalse();
  }

  @ParameterizedTest
  @ValueSource(ints = {0, -1, 1001, Integer.MAX_VALUE, Integer.MIN_VALUE})
  void anyOtherNumberIsTheCallersMistake(int n) {
    assertThatThrownBy(() -> new ForkSpec(FakeHost.TAG, n, Optional.empty()))
        .isInstanceOfSatisfying(
            ForkdException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.BAD_REQUEST))
        .hasMessage("n is %d: ask for 1 to 1000 children.", n);
  }

  @ParameterizedTest
  @ValueSource(ints = {16, 256, 1 << 20})
  void aLimitMayBeSet(int mib) {
    assertThat(new ForkSpec(FakeHost.TAG, 1, Optional.of(mib)).child().limits().memoryMib())
        .contains(mib);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, -1, 15, (1 << 20) + 1, Integer.MAX_VALUE, Integer.MIN_VALUE})
  void aLimitNothingCanRunInOrNoHostHasIsTheCallersMistake(int mib) {
    assertThatThrownBy(() -> new ForkSpec(FakeHost.TAG, 1, Optional.of(mib)))
        .isInstanceOfSatisfying(
            ForkdException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.BAD_REQUEST))
        .hasMessageContaining("memory_limit_mib is %d", mib);
  }
}
