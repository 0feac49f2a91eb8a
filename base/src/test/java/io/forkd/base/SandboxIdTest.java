package io.forkd.base;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SandboxIdTest {
  @Test
  void childrenOfOneRequestShareTheBatch() {
    String batch = SandboxId.newBatch(new Random(7));
    assertThat(SandboxId.of(batch, 12).value()).isEqualTo("sb-" + batch + "-0012");
    assertThat(SandboxId.of(SandboxId.of(batch, 12).value())).isEqualTo(SandboxId.of(batch, 12));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "sb-",
        "sb-12345678-1",
        "sb-../../x-0001",
        "SB-12345678-0001",
        "sb-12345678-0001\n"
      })
  void refusesAnythingElse(String id) {
    assertThatThrownBy(() -> SandboxId.of(id)).hasMessageContaining("is not a sandbox id");
  }
}
