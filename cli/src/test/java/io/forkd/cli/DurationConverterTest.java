package io.forkd.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine.TypeConversionException;

class DurationConverterTest {
  private final DurationConverter converter = new DurationConverter();

  @Test
  void aNumberAndAUnitAreADuration() {
    assertThat(converter.convert("90s")).isEqualTo(Duration.ofSeconds(90));
    assertThat(converter.convert("15m")).isEqualTo(Duration.ofMinutes(15));
    assertThat(converter.convert("2h")).isEqualTo(Duration.ofHours(2));
    assertThat(converter.convert("7d")).isEqualTo(Duration.ofDays(7));
    assertThat(converter.convert("999999999d")).isEqualTo(Duration.ofDays(999_999_999));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "90",
        "s",
        "0s",
        "-5m",
        "1.5h",
        "1h30m",
        "2 h",
        "7D",
        "1w",
        "9999999999s",
        "٣s"
      })
  void anythingElseIsRefusedWithAnExample(String text) {
    assertThatThrownBy(() -> converter.convert(text))
        .isInstanceOf(TypeConversionException.class)
        .hasMessageContaining("'%s' is not a duration".formatted(text))
        .hasMessageContaining("90s, 15m, 2h or 7d");
  }
}
