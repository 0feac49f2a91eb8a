package io.forkd.guest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.forkd.base.ForkdException;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class GuestTextTest {
  @Test
  void plainNamesStandForThemselves() {
    String name = "/home/häns/日本 語/😀~$'\"";
    assertThat(GuestText.of(name.getBytes(StandardCharsets.UTF_8))).isEqualTo(name);
    assertThat(GuestText.bytes(name)).isEqualTo(name.getBytes(StandardCharsets.UTF_8));
  }

  @Test
  void whatCannotBeSeenIsSpelledOut() {
    assertThat(GuestText.of(new byte[] {'a', 0, '\n', 0x1b, 'b'})).isEqualTo("a\\x00\\x0a\\x1bb");
    assertThat(GuestText.of(new byte[] {(byte) 0xff, '/', (byte) 0xc3})).isEqualTo("\\xff/\\xc3");
    assertThat(GuestText.of("\u202e".getBytes(StandardCharsets.UTF_8)))
        .isEqualTo("\\xe2\\x80\\xae");
    assertThat(GuestText.of(new byte[] {'\\', 'x', '4', '1'})).isEqualTo("\\\\x41");
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void anyBytesComeBackAndCanBePrinted(long seed) {
    Random random = new Random(seed);
    for (int i = 0; i < 5000; i++) {
      byte[] bytes = CobsTest.randomBytes(random, random.nextInt(12));
      for (int j = 0; j < bytes.length; j++) {
        if (random.nextBoolean()) {
          bytes[j] = "\\x/é€😀".getBytes(StandardCharsets.UTF_8)[random.nextInt(12)];
        }
      }
      String text = GuestText.of(bytes);
      assertThat(GuestText.bytes(text)).as(text).isEqualTo(bytes);
      assertThat(text.codePoints()).noneMatch(Character::isISOControl);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"\\", "a\\n", "\\x", "\\x4", "\\xg0", "\\X41"})
  void aBackslashThatStandsForNothingIsRefused(String text) {
    assertThatThrownBy(() -> GuestText.bytes(text)).isInstanceOf(ForkdException.class);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "etc", "//", "/etc/", "/a//b", "/.", "/a/../b", "/a/./b", "/a\\x00b"})
  void aPathThatIsNotPlainIsRefused(String path) {
    assertThatThrownBy(() -> GuestPath.bytes(path)).isInstanceOf(ForkdException.class);
  }

  @ParameterizedTest
  @ValueSource(strings = {"/", "/a", "/...", "/.a/b..", "/a\\xff/b"})
  void aPlainPathIsTaken(String path) {
    assertThat(GuestText.of(GuestPath.bytes(path))).isEqualTo(path);
  }
}
