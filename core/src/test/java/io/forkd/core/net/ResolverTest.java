package io.forkd.core.net;

import static org.assertj.core.api.Assertions.assertThat;

import io.forkd.core.Egress;
import io.forkd.core.net.DnsMessage.Answer;
import io.forkd.core.net.DnsMessage.Rcode;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

class ResolverTest {
  private static final int TYPE_TXT = 16;
  private static final int TYPE_MX = 15;
  private static final int TYPE_ANY = 255;

  private final OpenPolicy policy =
      new OpenPolicy(
          EgressRules.reachOf(new Egress.Allowlist(List.of("a.org"), List.of("10.1.0.0/16"))));

  /** Answers of an upstream that is written by hand. */
  private DnsMessage ask(String name, int type, Consumer<DnsReply> upstream) throws Exception {
    Resolver resolver =
        new Resolver(
            policy,
            question -> {
              DnsReply reply = new DnsReply(parsed(DnsReply.query(1, question, true)));
              upstream.accept(reply);
              return parsed(reply.bytes(false));
            });
    return parsed(resolver.answer(DnsBytes.query(name, type), true).orElseThrow());
  }

  private static DnsMessage parsed(byte[] bytes) {
    try {
      return DnsMessage.parse(bytes);
    } catch (DnsFormatException e) {
      throw new AssertionError(e);
    }
  }

  private static void nobody(DnsReply reply) {
    throw new AssertionError("upstream was asked");
  }

  @Test
  void anAnswerCarriesTheIdAndTheQuestionAndNothingThatIsNotPublic() throws Exception {
    DnsName name = DnsBytes.name("a.org");
    DnsMessage answer =
        ask(
            "a.org",
            DnsMessage.TYPE_A,
            reply ->
                reply
                    .address(name, 100_000, 0x08080808L)
                    .address(name, 5, 0x7f000001L)
                    .address(name, 5, 0x0a010203L)
                    .address(name, 5, 0x0a020203L)
                    .address(DnsBytes.name("b.org"), 5, 0x01010101L));
    assertThat(answer.id()).isEqualTo(4711);
    assertThat(answer.isResponse()).isTrue();
    assertThat(answer.question()).isEqualTo(DnsBytes.question("a.org", DnsMessage.TYPE_A));
    assertThat(answer.answers()).extracting(Answer::ttl).containsExactly(3600L, 5L);
    assertThat(policy.granted)
        .isEqualTo(
            Map.of(
                "a.org",
                Map.of(0x08080808L, Duration.ofHours(1), 0x0a010203L, Duration.ofSeconds(5))));
  }

  @Test
  void aliasesAreFollowedInOrderAndALoopEnds() throws Exception {
    DnsName a = DnsBytes.name("a.org");
    DnsName b = DnsBytes.name("b.net");
    DnsName c = DnsBytes.name("c.net");
    DnsMessage answer =
        ask(
            "a.org",
            DnsMessage.TYPE_A,
            reply -> reply.alias(b, 9, c).address(c, 9, 0x08080808L).alias(a, 9, b));
    assertThat(answer.answers())
        .extracting(record -> record.name().text())
        .containsExactly("a.org", "b.net", "c.net");
    assertThat(policy.granted.get("a.org")).containsOnlyKeys(0x08080808L);
    assertThat(
            ask("a.org", DnsMessage.TYPE_A, reply -> reply.alias(a, 9, b).alias(b, 9, a)).rcode())
        .isEqualTo(Rcode.OK);
  }

  @Test
  void whatCannotBeOpenedIsNotAnswered() throws Exception {
    policy.failing = true;
    DnsMessage answer =
        ask(
            "a.org",
            DnsMessage.TYPE_A,
            reply -> reply.address(DnsBytes.name("a.org"), 9, 0x08080808L));
    assertThat(answer.rcode()).isEqualTo(Rcode.FAILED);
    assertThat(answer.answers()).isEmpty();
  }

  @Test
  void namesThatAreNotAllowedAreRefusedWithoutAskingAnybody() throws Exception {
    for (int type : List.of(DnsMessage.TYPE_A, DnsMessage.TYPE_AAAA, TYPE_TXT)) {
      assertThat(ask("b.org", type, ResolverTest::nobody).rcode()).isEqualTo(Rcode.REFUSED);
    }
  }

  @Test
  void recordsThatCarryOtherAddressesAreEmptyAndTransfersAreNotDone() throws Exception {
    for (int type : List.of(DnsMessage.TYPE_AAAA, DnsMessage.TYPE_HTTPS, DnsMessage.TYPE_SVCB)) {
      DnsMessage answer = ask("a.org", type, ResolverTest::nobody);
      assertThat(answer.rcode()).isEqualTo(Rcode.OK);
      assertThat(answer.answers()).isEmpty();
    }
    assertThat(ask("a.org", TYPE_ANY, ResolverTest::nobody).rcode())
        .isEqualTo(Rcode.NOT_IMPLEMENTED);
  }

  @Test
  void aNameThatDoesNotExistIsSaidNotToExist() throws Exception {
    assertThat(ask("a.org", DnsMessage.TYPE_A, reply -> reply.rcode(Rcode.NO_SUCH_NAME)).rcode())
        .isEqualTo(Rcode.NO_SUCH_NAME);
  }

  @Test
  void otherRecordsArePassedOnUnlessAddressesAreAmongThem() throws Exception {
    byte[] mx = mxAnswer();
    Resolver resolver = new Resolver(policy, _ -> parsed(mx));
    DnsMessage answer =
        parsed(resolver.answer(DnsBytes.query("a.org", TYPE_MX), true).orElseThrow());
    assertThat(answer.answers()).hasSize(1);
    Answer record = answer.answers().getFirst();
    assertThat(DnsName.read(new DnsReader(answer.bytes(), record.data() + Short.BYTES)).text())
        .isEqualTo("mail.a.org");
    assertThat(
            ask("a.org", TYPE_TXT, reply -> reply.address(DnsBytes.name("a.org"), 9, 0x08080808L))
                .rcode())
        .isEqualTo(Rcode.FAILED);
  }

  /** One MX record whose name is compressed, with an address beside it. */
  private static byte[] mxAnswer() {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    byte[] question = DnsReply.query(1, DnsBytes.question("a.org", TYPE_MX), false);
    out.writeBytes(question);
    out.writeBytes(new byte[] {(byte) 0xc0, 12, 0, TYPE_MX, 0, 1, 0, 0, 0, 9, 0, 9, 0, 5});
    out.writeBytes(new byte[] {4, 'm', 'a', 'i', 'l', (byte) 0xc0, 12});
    out.writeBytes(new byte[] {(byte) 0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 9, 0, 4, 8, 8, 8, 8});
    byte[] message = out.toByteArray();
    ByteBuffer.wrap(message)
        .putShort(2, (short) 0x8180)
        .putShort(6, (short) 1)
        .putShort(10, (short) 1);
    return message;
  }

  @Test
  void anUpstreamThatFailsMakesAFailure() throws Exception {
    Resolver resolver =
        new Resolver(
            policy,
            _ -> {
              throw new IOException("nobody there");
            });
    assertThat(
            parsed(resolver.answer(DnsBytes.query("a.org", DnsMessage.TYPE_A), true).orElseThrow())
                .rcode())
        .isEqualTo(Rcode.FAILED);
  }

  @Test
  void answersAndScrapsAreNotAnsweredAndNonsenseIsCalledSo() {
    Resolver resolver = new Resolver(policy, _ -> parsed(new byte[0]));
    byte[] response = DnsBytes.query("a.org", DnsMessage.TYPE_A);
    response[2] |= (byte) 0x80;
    assertThat(resolver.answer(response, true)).isEmpty();
    assertThat(resolver.answer(new byte[11], true)).isEmpty();
    byte[] noQuestion = new byte[12];
    noQuestion[1] = 7;
    assertThat(resolver.answer(noQuestion, true))
        .hasValueSatisfying(
            bytes -> assertThat(bytes).containsExactly(0, 7, 0x80, 0x81, 0, 0, 0, 0, 0, 0, 0, 0));
  }

  @Test
  void anAskerThatSpeaksEdnsIsAnsweredInKind() {
    Resolver resolver = new Resolver(new OpenPolicy(Reach.NOBODY), _ -> parsed(new byte[0]));
    byte[] query = DnsReply.query(9, DnsBytes.question("a.org", DnsMessage.TYPE_A), true);
    assertThat(parsed(resolver.answer(query, true).orElseThrow()).udpSize()).hasValue(1232);
  }
}
