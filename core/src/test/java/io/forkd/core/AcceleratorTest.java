package io.forkd.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.forkd.base.ErrorCode;
import io.forkd.base.ForkdException;
import java.nio.file.Files;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class AcceleratorTest {
  @ParameterizedTest
  @CsvSource({"kvm, true, true", "kvm, false, true", "tcg, true, false", "tcg, false, false"})
  void theEnvironmentDecidesWhenItSaysSo(String value, boolean privileged, boolean kvm) {
    assertThat(Accelerator.choose(Map.of("FORKD_ACCEL", value), privileged))
        .isEqualTo(new Accelerator(kvm, "FORKD_ACCEL=" + value));
  }

  @ParameterizedTest
  @ValueSource(strings = {"KVM", "tcg ", "xen", "yes", "1"})
  void aValueNobodyKnowsIsRefusedAndNotGuessed(String value) {
    assertThatThrownBy(() -> Accelerator.choose(Map.of("FORKD_ACCEL", value), true))
        .isInstanceOfSatisfying(
            ForkdException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.BAD_REQUEST))
        .hasMessageContaining("FORKD_ACCEL is '" + value + "'");
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void withoutAWishTheHostDecides(boolean privileged) {
    Accelerator chosen = Accelerator.choose(Map.of(), privileged);
    assertThat(chosen).isEqualTo(Accelerator.choose(Map.of("FORKD_ACCEL", "auto"), privileged));
    assertThat(chosen).isEqualTo(Accelerator.choose(Map.of("FORKD_ACCEL", ""), privileged));
    assertThat(chosen.reason()).contains("/dev/kvm").doesNotContain("FORKD_ACCEL");
  }

  @Test
  void kvmIsNeverChosenWithoutItsDevice() {
    if (Accelerator.choose(Map.of(), true).kvm()) {
      assertThat(Files.exists(Accelerator.DEVICE)).isTrue();
    } else {
      assertThat(Accelerator.choose(Map.of(), true).reason()).doesNotContain("works");
    }
  }
}
