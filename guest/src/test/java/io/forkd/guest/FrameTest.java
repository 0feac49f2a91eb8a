package io.forkd.guest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class FrameTest {
  @Test
  void roundTripsRandomFrames() throws NonsenseException {
    Random random = new Random(3);
    for (int i = 0; i < 1000; i++) {
      byte[] payload = CobsTest.randomBytes(random, random.nextInt(3000));
      Frame frame =
          new Frame(random.nextInt(256), random.nextInt(256), random.nextInt() >>> 1, payload);
      Frame back = Frame.parse(plain(frame));
      assertThat(back.payload()).isEqualTo(payload);
      assertThat(List.of(back.type(), back.flags(), back.stream()))
          .containsExactly(frame.type(), frame.flags(), frame.stream());
    }
  }

  @Test
  void noticesEveryTruncationAndEveryByteTooMany() {
    byte[] plain = plain(new Frame(1, 2, 3, new byte[] {4, 5, 6}));
    for (int length = 0; length < plain.length; length++) {
      byte[] torn = Arrays.copyOf(plain, length);
      assertThatThrownBy(() -> Frame.parse(torn)).isInstanceOf(NonsenseException.class);
    }
    byte[] longer = Arrays.copyOf(plain, plain.length + 1);
    assertThatThrownBy(() -> Frame.parse(longer)).isInstanceOf(NonsenseException.class);
  }

  @Test
  void readsRandomAnswersAsNonsenseOrNotAtAll() {
    Random random = new Random(4);
    for (int i = 0; i < 20_000; i++) {
      byte[] payload = CobsTest.randomBytes(random, random.nextInt(80));
      Frame frame = new Frame(Protocol.IDENTIFIED, 0, 0, payload);
      try {
        Answers.identified(frame);
        Answers.hello(frame);
      } catch (NonsenseException e) {
        assertThat(e).hasMessageNotContaining("null");
      }
    }
  }

  private static byte[] plain(Frame frame) {
    Cobs.Decoder decoder = new Cobs.Decoder(Frame.MAX_FRAME);
    assertThat(decoder.take(ByteBuffer.wrap(frame.encode()))).isEqualTo(Cobs.Event.FRAME);
    return decoder.frame();
  }
}
