package io.forkd.guest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.forkd.base.ErrorCode;
import io.forkd.base.ForkdException;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import org.assertj.core.api.AbstractThrowableAssert;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A guest that lies about its files is found out, or is at most believed about itself. */
@Timeout(120)
class HostileInspectionTest {
  private static final Duration LATE = Duration.ofSeconds(60);
  private static final List<String> TWO = List.of("/a", "/b");

  private FakeGuest guest;
  private Agent agent;

  @BeforeEach
  void start() throws IOException {
    guest = new FakeGuest();
    agent = guest.agent();
    guest.greet(guest.awaitHello());
  }

  @AfterEach
  void stop() throws IOException {
    guest.close();
  }

  @Test
  void anOlderAgentIsToldApartFromABrokenOne() throws Exception {
    Payload unsupported = new Payload().u16(2).text("unknown kind of stream");
    answering(
        Protocol.RESET,
        unsupported,
        () ->
            assertFails(() -> agent.changedFiles(LATE), ErrorCode.CONFLICT)
                .hasMessageContaining("snapshot was made by an older forkd: make it anew"));
    assertThat(agent.isClosed()).isFalse();
  }

  @Test
  void aFailedInspectionSaysWhyAndCostsNothingElse() throws Exception {
    answering(
        Protocol.RESET,
        new Payload().u16(9).text("cannot look at /x: \u001b[31mno"),
        () ->
            assertFails(() -> agent.allFiles(LATE), ErrorCode.GUEST_FAILED)
                .hasMessageContaining("cannot look at /x: ?[31mno"));
    assertThat(agent.isClosed()).isFalse();
  }

  @Test
  void answersForOtherPathsAreNonsense() throws Exception {
    assertNonsense(answers("/a", "/c"), () -> agent.describe(TWO, LATE));
  }

  @Test
  void tooFewAnswersAreNonsense() throws Exception {
    assertNonsense(answers("/a"), () -> agent.describe(TWO, LATE));
  }

  @Test
  void tooManyAnswersAreNonsense() throws Exception {
    assertNonsense(answers("/a", "/b", "/b"), () -> agent.describe(TWO, LATE));
  }

  @Test
  void aRecordTooLongToBeOneIsNonsense() throws Exception {
    assertNonsense(new Payload().i32(1 << 20), () -> agent.processes(LATE));
  }

  @Test
  void moreOfAFileThanAskedForIsNonsense() throws Exception {
    byte[] tooMuch = new byte[11];
    assertNonsense(new Payload().raw(tooMuch, 0, 11), () -> agent.readFile("/a", 10, LATE));
  }

  @Test
  void aResultThatSaysSomethingIsNonsense() throws Exception {
    answering(
        Protocol.RESULT,
        new Payload().u8(1),
        () -> assertFails(() -> agent.processes(LATE), ErrorCode.GUEST_FAILED));
    assertThat(agent.isClosed()).isTrue();
  }

  @Test
  void silenceEndsInTime() {
    assertFails(() -> agent.changedFiles(Duration.ofMillis(200)), ErrorCode.TIMEOUT);
    assertFails(() -> agent.describe(TWO, Duration.ofMillis(200)), ErrorCode.TIMEOUT);
    assertThat(agent.isClosed()).isFalse();
  }

  @Test
  void mutatedAnswersEndInAnswersOrErrors() throws Exception {
    Random random = new Random(4);
    byte[] right = answers("/a", "/b").toByteArray();
    for (int i = 0; i < 100; i++) {
      try (FakeGuest babbler = new FakeGuest()) {
        babbler.greet(babbler.awaitHello());
        byte[] wrong = right.clone();
        wrong[random.nextInt(wrong.length)] = (byte) random.nextInt(256);
        Thread thread = answer(babbler, new Payload().raw(wrong, 0, wrong.length));
        try {
          assertThat(babbler.agent().describe(TWO, LATE)).hasSizeBetween(0, 2);
        } catch (ForkdException e) {
          assertThat(e.code()).isEqualTo(ErrorCode.GUEST_FAILED);
        }
        thread.join();
      }
    }
  }

  private static Payload answers(String... paths) {
    Payload all = new Payload();
    for (String path : paths) {
      all.bytes(RecordsTest.entry(path).toByteArray());
    }
    return all;
  }

  private void assertNonsense(Payload data, ThrowingCallable call) throws InterruptedException {
    Thread liar = answer(guest, data);
    assertFails(call, ErrorCode.GUEST_FAILED).hasMessageContaining("protocol");
    assertThat(agent.isClosed()).isTrue();
    liar.join();
  }

  /** Answers the next stream with this data and a proper end. */
  private static Thread answer(FakeGuest guest, Payload data) {
    return Thread.ofVirtual()
        .start(
            () -> {
              int stream = guest.awaitFrame(Protocol.OPEN).stream();
              byte[] bytes = data.toByteArray();
              guest.send(new Frame(Protocol.DATA, 1, stream, bytes).encode());
              guest.send(new Frame(Protocol.RESULT, 0, stream, new byte[0]).encode());
            });
  }

  private void answering(int type, Payload payload, Runnable call) throws InterruptedException {
    Thread answerer =
        Thread.ofVirtual()
            .start(
                () -> {
                  int stream = guest.awaitFrame(Protocol.OPEN).stream();
                  guest.send(new Frame(type, 0, stream, payload.toByteArray()).encode());
                });
    call.run();
    answerer.join();
  }

  private static AbstractThrowableAssert<?, ?> assertFails(ThrowingCallable call, ErrorCode code) {
    return assertThatThrownBy(call)
        .isInstanceOfSatisfying(ForkdException.class, e -> assertThat(e.code()).isEqualTo(code));
  }
}
