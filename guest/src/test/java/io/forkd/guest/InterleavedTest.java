package io.forkd.guest;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.util.Random;
import org.junit.jupiter.api.Test;

class InterleavedTest {
  @Test
  void givesBackEachChannelAndTheirOrderHoweverItIsTaken() {
    for (int seed = 0; seed < 50; seed++) {
      Random random = new Random(seed);
      Interleaved all = new Interleaved();
      ByteArrayOutputStream[] expected = {
        null, new ByteArrayOutputStream(), new ByteArrayOutputStream()
      };
      StringBuilder order = new StringBuilder();
      for (int i = 0; i < 50; i++) {
        int channel = 1 + random.nextInt(2);
        byte[] data = CobsTest.randomBytes(random, random.nextInt(20));
        all.add(channel, data);
        expected[channel].writeBytes(data);
        order.repeat('0' + channel, data.length);
      }
      assertThat(all.only(1)).isEqualTo(expected[1].toByteArray());
      assertThat(all.only(2)).isEqualTo(expected[2].toByteArray());
      StringBuilder taken = new StringBuilder();
      while (all.size() > 0) {
        Interleaved.Piece piece = all.take(1 + random.nextInt(7)).orElseThrow();
        assertThat(piece.bytes()).isNotEmpty().hasSizeLessThanOrEqualTo(7);
        taken.repeat('0' + piece.channel(), piece.bytes().length);
      }
      assertThat(taken).hasToString(order.toString());
      assertThat(all.take(1)).isEmpty();
    }
  }
}
