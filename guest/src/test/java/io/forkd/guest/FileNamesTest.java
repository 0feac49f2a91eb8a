package io.forkd.guest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.forkd.base.ForkdException;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Paths as text and as bytes. */
class FileNamesTest {
  @ParameterizedTest
  @ValueSource(strings = {"", "/a b/ü", "line\nbreak", "👩‍💻", "C:\\dir\\file", "ends with \\"})
  void textStandsForItself(String name) {
    byte[] bytes = name.getBytes(StandardCharsets.UTF_8);
    assertThat(FileNames.bytes(name)).isEqualTo(bytes);
    assertThat(FileNames.text(bytes)).isEqualTo(name);
  }

  @Test
  void bytesThatAreNoTextAreEscapedAndWhatLooksLikeThatIsKeptApart() {
    assertThat(FileNames.text(new byte[] {'a', (byte) 0xff, 'b'})).isEqualTo("a\\xffb");
    assertThat(FileNames.text(ascii("\\xff"))).isEqualTo("\\\\xff");
    assertThat(FileNames.text(ascii("\\\\"))).isEqualTo("\\\\\\");
    assertThat(FileNames.bytes("a\\xffb")).containsExactly('a', 0xff, 'b');
    assertThat(FileNames.bytes("\\\\xff")).isEqualTo(ascii("\\xff"));
  }

  @Test
  void everyNameComesBackAsItsBytes() {
    Random random = new Random(5);
    byte[] notable = {'\\', 'x', 'f', '0', (byte) 0xff, (byte) 0xc3, (byte) 0xa9, 'g', '/'};
    for (int i = 0; i < 50_000; i++) {
      byte[] name = new byte[random.nextInt(9)];
      for (int j = 0; j < name.length; j++) {
        name[j] = notable[random.nextInt(notable.length)];
      }
      assertThat(FileNames.bytes(FileNames.text(name))).isEqualTo(name);
    }
  }

  @Test
  void whatNoGuestTakesIsRefused() {
    assertThatThrownBy(() -> FileNames.bytes("a\0b"))
        .isInstanceOf(ForkdException.class)
        .hasMessageContaining("NUL");
    assertThatThrownBy(() -> FileNames.bytes("/" + "x".repeat(4095)))
        .isInstanceOf(ForkdException.class)
        .hasMessageContaining("4096 bytes");
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }
}
