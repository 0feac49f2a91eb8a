package io.forkd.base;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PrintableTest {
  @ParameterizedTest
  @ValueSource(strings = {"", "python-numpy", "größer", "日本", "a b", "%s", "'quoted'"})
  void readableTextStaysAsItIs(String text) {
    assertThat(Printable.shorten(text)).isEqualTo(text);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 7, 8, 9, 10, 13, 27, 31, 127, 128, 155, 159})
  void whatSteersATerminalOrBreaksALineIsReplaced(int control) {
    String text = "a" + Character.toString(control) + "b";
    assertThat(Printable.shorten(text)).isEqualTo("a?b");
  }

  @ParameterizedTest
  @CsvSource({"79, false", "80, false", "81, true", "100000, true"})
  void longTextIsCutAndSaysSo(int length, boolean cut) {
    String text = "x".repeat(length);
    assertThat(Printable.shorten(text)).isEqualTo(cut ? "x".repeat(80) + "…" : text);
  }

  @Test
  void aCharacterBeyondTheBasicPlaneIsNeverCutInHalf() {
    String shortened = Printable.shorten("😀".repeat(200));
    assertThat(shortened).isEqualTo("😀".repeat(80) + "…");
  }

  @Test
  void aMessageThatRepeatsAStrangersTextStaysOnOneLine() {
    ForkdException refused =
        assertThrows(
            ForkdException.class, () -> Tag.of("x\r\n\u001b[31mHTTP/1.1 200\n" + "y".repeat(5000)));
    assertThat(refused.getMessage()).doesNotContain("\n", "\r", "\u001b").hasSizeLessThan(250);
  }
}
