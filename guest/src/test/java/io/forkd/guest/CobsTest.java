package io.forkd.guest;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CobsTest {
  @ParameterizedTest
  @CsvSource({
    "'', 0100",
    "00, 010100",
    "0000, 01010100",
    "11220033, 0311220233 00",
    "11000000, 021101010100",
  })
  void encodesAsThePaperDoes(String plain, String wire) {
    byte[] bytes = HexFormat.of().parseHex(plain);
    assertThat(encode(bytes)).isEqualTo(HexFormat.of().parseHex(wire.replace(" ", "")));
  }

  @ParameterizedTest
  @ValueSource(ints = {253, 254, 255, 508, 509, 65546})
  void roundTripsRunsAroundTheLongestBlock(int length) {
    byte[] plain = new byte[length];
    Arrays.fill(plain, (byte) 7);
    assertThat(decode(encode(plain), Frame.MAX_FRAME)).containsExactly(plain);
  }

  @Test
  void roundTripsRandomBytesWithoutEverPuttingAZeroInside() {
    Random random = new Random(1);
    for (int i = 0; i < 2000; i++) {
      byte[] plain = randomBytes(random, random.nextInt(1500));
      byte[] wire = encode(plain);
      assertThat(wire.length).isLessThanOrEqualTo(Cobs.bound(plain.length));
      for (int j = 0; j < wire.length - 1; j++) {
        assertThat(wire[j]).isNotZero();
      }
      assertThat(decode(wire, Frame.MAX_FRAME)).containsExactly(plain);
    }
  }

  @Test
  void findsItsPlaceAgainAtTheNextZeroAfterAnyGarbage() {
    Random random = new Random(2);
    byte[] wanted = {1, 0, 2};
    for (int i = 0; i < 2000; i++) {
      Cobs.Decoder decoder = new Cobs.Decoder(64);
      for (byte garbage : randomBytes(random, random.nextInt(500))) {
        decoder.take(garbage);
      }
      decoder.take((byte) 0);
      List<byte[]> frames = new ArrayList<>();
      for (byte value : encode(wanted)) {
        if (decoder.take(value) == Cobs.Event.FRAME) {
          frames.add(decoder.frame());
        }
      }
      assertThat(frames).containsExactly(wanted);
    }
  }

  @Test
  void refusesAFrameOverTheLimitWithoutKeepingIt() {
    Cobs.Decoder decoder = new Cobs.Decoder(10);
    int bad = 0;
    for (byte value : encode(new byte[1_000_000])) {
      if (decoder.take(value) == Cobs.Event.BAD) {
        bad++;
      }
    }
    assertThat(bad).isOne();
    assertThat(decoder.frame().length).isLessThanOrEqualTo(10);
  }

  static byte[] encode(byte[] plain) {
    byte[] wire = new byte[Cobs.bound(plain.length)];
    return Arrays.copyOf(wire, Cobs.encode(plain, plain.length, wire, 0));
  }

  private static List<byte[]> decode(byte[] wire, int limit) {
    Cobs.Decoder decoder = new Cobs.Decoder(limit);
    List<byte[]> frames = new ArrayList<>();
    for (byte value : wire) {
      Cobs.Event event = decoder.take(value);
      assertThat(event).isNotEqualTo(Cobs.Event.BAD);
      if (event == Cobs.Event.FRAME) {
        frames.add(decoder.frame());
      }
    }
    return frames;
  }

  static byte[] randomBytes(Random random, int length) {
    byte[] bytes = new byte[length];
    random.nextBytes(bytes);
    return bytes;
  }
}
