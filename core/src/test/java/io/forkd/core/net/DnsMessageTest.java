package io.forkd.core.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.forkd.core.Egress;
import io.forkd.core.net.DnsMessage.Rcode;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Messages of strangers: read within bounds, whatever they say. */
@Timeout(120)
class DnsMessageTest {
  private static final int ROUNDS = 40_000;

  private static byte[] withName(int... name) {
    ByteBuffer buffer = ByteBuffer.allocate(DnsMessage.HEADER + name.length + 4);
    buffer.putShort((short) 1).putShort((short) 0).putShort((short) 1).putShort((short) 0);
    buffer.putInt(0);
    for (int part : name) {
      buffer.put((byte) part);
    }
    return buffer.putShort((short) 1).putShort((short) 1).array();
  }

  private static String textOf(int... name) throws DnsFormatException {
    return DnsMessage.parse(withName(name)).question().name().text();
  }

  @Test
  void aNameIsReadInLowerCaseAndOddBytesMatchNoPattern() throws DnsFormatException {
    assertThat(textOf(1, 'A', 2, 'b', 'C', 0)).isEqualTo("a.bc");
    assertThat(textOf(0)).isEmpty();
    assertThat(textOf(3, 'a', '.', 'b', 0)).isEqualTo("a\\46b");
    assertThat(textOf(2, 0xe4, 0, 0)).isEqualTo("\\228\\0");
  }

  @Test
  void namesThatLoopPointForwardOrNeverEndAreRefused() {
    for (int[] name :
        new int[][] {
          {0xc0, 12}, // to itself
          {1, 'a', 0xc0, 12}, // to its own beginning
          {0xc0, 14, 0xc0, 12}, // forward and back
          {0xff, 0xff},
          {63, 'a'},
          {0x40, 'a', 0},
          {0x80, 0}
        }) {
      assertThatThrownBy(() -> DnsMessage.parse(withName(name)))
          .isInstanceOf(DnsFormatException.class);
    }
    int[] endless = new int[400];
    Arrays.setAll(endless, i -> i % 2 == 0 ? 1 : 'a');
    assertThatThrownBy(() -> DnsMessage.parse(withName(endless))).hasMessage("a name is too long");
  }

  @Test
  void aQuestionIsNeverCompressed() {
    assertThatThrownBy(() -> DnsMessage.parse(withName(1, 'a', 0xc0, 2)))
        .isInstanceOf(DnsFormatException.class);
  }

  /** Half of the rounds are noise, half are true messages with a few bytes changed. */
  @Test
  void noMessageBreaksTheReader() {
    Random random = new Random(42);
    byte[] model = answerToMany();
    int readable = 0;
    for (int i = 0; i < ROUNDS; i++) {
      byte[] message = i % 2 == 0 ? noise(random) : mutated(model, random);
      try {
        DnsMessage parsed = DnsMessage.parse(message);
        for (DnsMessage.Answer answer : parsed.answers()) {
          assertThat(answer.data() + answer.length()).isLessThanOrEqualTo(message.length);
        }
        readable++;
      } catch (DnsFormatException e) {
        assertThat(e).hasMessage(e.getMessage());
      }
    }
    assertThat(readable).isPositive();
  }

  @Test
  void noQueryAndNoAnswerFromUpstreamBreaksTheResolver() {
    Random random = new Random(7);
    byte[] model = DnsReply.query(1, DnsBytes.question("a.example.org", DnsMessage.TYPE_A), true);
    byte[] upstream = answerToMany();
    Resolver resolver =
        new Resolver(
            new OpenPolicy(EgressRules.reachOf(Egress.INTERNET)),
            question -> {
              try {
                return DnsMessage.parse(mutated(upstream, random));
              } catch (DnsFormatException e) {
                throw new java.io.IOException(e);
              }
            });
    int answered = 0;
    for (int i = 0; i < ROUNDS; i++) {
      byte[] query = i % 2 == 0 ? model : mutated(model, random);
      Optional<byte[]> reply = resolver.answer(query, i % 3 != 0);
      if (reply.isPresent()) {
        assertThat(reply.get().length).isGreaterThanOrEqualTo(DnsMessage.HEADER);
        assertThat(reply.get()[2]).isNegative(); // the bit that says it is an answer
        answered++;
      }
    }
    assertThat(answered).isGreaterThan(ROUNDS / 2 - 1);
  }

  private static byte[] answerToMany() {
    try {
      DnsMessage query =
          DnsMessage.parse(
              DnsReply.query(1, DnsBytes.question("a.example.org", DnsMessage.TYPE_A), true));
      DnsReply reply = DnsReply.of(query, Rcode.OK);
      reply.alias(DnsBytes.name("a.example.org"), 60, DnsBytes.name("b.example.org"));
      reply.alias(DnsBytes.name("b.example.org"), 60, DnsBytes.name("a.example.org"));
      for (int i = 0; i < 20; i++) {
        reply.address(DnsBytes.name("b.example.org"), 60, 0x08080800L + i);
      }
      return reply.bytes(false);
    } catch (DnsFormatException e) {
      throw new AssertionError(e);
    }
  }

  private static byte[] noise(Random random) {
    byte[] bytes = new byte[random.nextInt(120)];
    random.nextBytes(bytes);
    return bytes;
  }

  private static byte[] mutated(byte[] model, Random random) {
    byte[] copy = Arrays.copyOf(model, model.length - random.nextInt(3) * random.nextInt(20) / 2);
    for (int i = random.nextInt(6); i > 0; i--) {
      copy[random.nextInt(copy.length)] = (byte) random.nextInt(256);
    }
    return copy;
  }
}
