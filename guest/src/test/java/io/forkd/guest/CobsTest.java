package io.forkd.guest;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
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
      byte[] closed = Arrays.copyOf(randomBytes(random, random.nextInt(500)), 501);
      ByteBuffer garbage = ByteBuffer.wrap(closed);
      while (garbage.hasRemaining()) {
        decoder.take(garbage);
      }
      assertThat(decoder.take(ByteBuffer.wrap(encode(wanted)))).isEqualTo(Cobs.Event.FRAME);
      assertThat(decoder.frame()).isEqualTo(wanted);
    }
  }

  @Test
  void refusesAFrameOverTheLimitWithoutKeepingIt() {
    Cobs.Decoder decoder = new Cobs.Decoder(10);
    for (byte value : new byte[] {0, 1}) {
      byte[] plain = new byte[1_000_000];
      Arrays.fill(plain, value);
      ByteBuffer wire = ByteBuffer.wrap(encode(plain));
      assertThat(decoder.take(wire)).isEqualTo(Cobs.Event.BAD);
      assertThat(decoder.take(wire)).isEqualTo(Cobs.Event.MORE);
      assertThat(wire.hasRemaining()).isFalse();
    }
    assertThat(decoder.frame().length).isLessThanOrEqualTo(10);
  }

  static byte[] encode(byte[] plain) {
    byte[] wire = new byte[Cobs.bound(plain.length)];
    return Arrays.copyOf(wire, Cobs.encode(plain, plain.length, wire, 0));
  }

  @Test
  void piecesOfAnySizeMakeTheSameFramesAndFailures() {
    Random random = new Random(3);
    for (int i = 0; i < 2000; i++) {
      byte[] wire = randomBytes(random, random.nextInt(2000));
      for (int j = 0; j < wire.length; j++) {
        wire[j] = (byte) (wire[j] & (j % 3 == 0 ? 0x0f : 0xff));
      }
      assertThat(events(wire, wire.length)).isEqualTo(events(wire, 1));
      assertThat(events(wire, 1 + random.nextInt(100))).isEqualTo(events(wire, 1));
    }
  }

  private static List<String> events(byte[] wire, int atOnce) {
    Cobs.Decoder decoder = new Cobs.Decoder(100);
    List<String> events = new ArrayList<>();
    for (int from = 0; from < wire.length; from += atOnce) {
      ByteBuffer piece = ByteBuffer.wrap(wire, from, Math.min(atOnce, wire.length - from));
      while (piece.hasRemaining()) {
        switch (decoder.take(piece)) {
          case MORE -> {}
          case BAD -> events.add("bad");
          case FRAME -> events.add(HexFormat.of().formatHex(decoder.frame()));
        }
      }
    }
    return events;
  }

  private static List<byte[]> decode(byte[] wire, int limit) {
    Cobs.Decoder decoder = new Cobs.Decoder(limit);
    List<byte[]> frames = new ArrayList<>();
    ByteBuffer in = ByteBuffer.wrap(wire);
    while (in.hasRemaining()) {
      assertThat(decoder.take(in)).isEqualTo(Cobs.Event.FRAME);
      frames.add(decoder.frame());
    }
    return frames;
  }

  static byte[] randomBytes(Random random, int length) {
    byte[] bytes = new byte[length];
    random.nextBytes(bytes);
    return bytes;
  }
}
