package io.forkd.guest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.forkd.base.ErrorCode;
import io.forkd.base.ForkdException;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.AbstractThrowableAssert;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A guest that lies, babbles or falls silent costs itself its channel and the host nothing. */
@Timeout(120)
class HostileGuestTest {
  private static final Duration SOON = Duration.ofMillis(300);
  private static final Duration LATE = Duration.ofSeconds(60);

  private FakeGuest guest;
  private Agent agent;

  @BeforeEach
  void start() throws IOException {
    guest = new FakeGuest();
    agent = guest.agent();
  }

  @AfterEach
  void stop() throws IOException {
    guest.close();
  }

  @Test
  void findsTheGreetingBehindWhateverAnEarlierConnectionLeft() throws IOException {
    long nonce = guest.awaitHello();
    guest.send(new byte[] {5, 1, 2});
    guest.send(new Frame(Protocol.RESULT, 0, 3, new byte[100]).encode());
    guest.greet(nonce + 1);
    guest.send(new byte[] {9, 9, 0});
    guest.greet(nonce);
    assertThat(agent.awaitHello(LATE).arch()).isEqualTo("fake");
  }

  @Test
  void refusesAnAgentOfAnotherVersion() throws IOException {
    guest.send(FakeGuest.helloAck(guest.awaitHello(), 77).encode());
    assertFails(() -> agent.awaitHello(LATE), ErrorCode.GUEST_FAILED).hasMessageContaining("77");
  }

  @Test
  void givesUpOnASilentGuestInTime() {
    assertFails(() -> agent.awaitHello(SOON), ErrorCode.TIMEOUT);
    assertFails(() -> agent.ping(SOON), ErrorCode.TIMEOUT);
    assertFails(() -> agent.quiesce(SOON), ErrorCode.TIMEOUT);
  }

  @Test
  void stillHearsAGreetingThatComesAfterSomeoneGaveUpOnIt() {
    assertFails(() -> agent.awaitHello(SOON), ErrorCode.TIMEOUT);
    guest.greet(guest.awaitHello());
    assertThat(agent.awaitHello(LATE).arch()).isEqualTo("fake");
  }

  @Test
  void endsEveryOpenCallWhenTheGuestDies() throws Exception {
    guest.greet(guest.awaitHello());
    CountDownLatch closed = new CountDownLatch(1);
    agent.onClosed(closed::countDown);
    Thread killer =
        Thread.ofVirtual()
            .start(
                () -> {
                  guest.awaitFrame(Protocol.PING);
                  guest.hangUp();
                });
    assertFails(() -> agent.ping(LATE), ErrorCode.GUEST_FAILED);
    assertFails(() -> exec(LATE), ErrorCode.GUEST_FAILED);
    assertThat(closed.await(60, TimeUnit.SECONDS)).isTrue();
    killer.join();
  }

  @Test
  void runsAListenerOnceEvenWhenItComesLate() throws InterruptedException {
    agent.close();
    CountDownLatch closed = new CountDownLatch(1);
    agent.onClosed(closed::countDown);
    assertThat(closed.await(60, TimeUnit.SECONDS)).isTrue();
  }

  @Test
  void dropsAGuestThatSendsMoreThanItMay() throws Exception {
    guest.greet(guest.awaitHello());
    Thread flood =
        Thread.ofVirtual()
            .start(
                () -> {
                  int stream = guest.awaitFrame(Protocol.OPEN).stream();
                  byte[] data = new byte[60_000];
                  guest.sendUntilRefused(new Frame(Protocol.DATA, 9, stream, data).encode());
                });
    assertFails(() -> exec(LATE), ErrorCode.GUEST_FAILED).hasMessageContaining("protocol");
    flood.join();
  }

  @Test
  void dropsAGuestThatAnswersWithNonsense() throws Exception {
    guest.greet(guest.awaitHello());
    Thread liar =
        Thread.ofVirtual()
            .start(
                () -> {
                  Frame open = guest.awaitFrame(Protocol.OPEN);
                  guest.send(new Frame(Protocol.RESULT, 0, open.stream(), new byte[2]).encode());
                });
    assertFails(() -> exec(LATE), ErrorCode.GUEST_FAILED).hasMessageContaining("protocol");
    liar.join();
  }

  @Test
  void endsInTimeWhateverRandomFramesCome() throws Exception {
    guest.greet(guest.awaitHello());
    assertThat(agent.awaitHello(LATE)).isNotNull();
    Random random = new Random(5);
    Thread babbler =
        Thread.ofVirtual()
            .start(
                () -> {
                  for (int i = 0; i < 2000; i++) {
                    byte[] payload = CobsTest.randomBytes(random, random.nextInt(50));
                    guest.send(
                        new Frame(random.nextInt(25), random.nextInt(3), random.nextInt(3), payload)
                            .encode());
                  }
                });
    assertThatThrownBy(() -> exec(SOON)).isInstanceOf(ForkdException.class);
    assertThatThrownBy(() -> agent.ping(SOON)).isInstanceOf(ForkdException.class);
    babbler.join();
  }

  @Test
  void refusesAForkWhoseAnswerIsNotWhatWasAsked() throws Exception {
    guest.greet(guest.awaitHello());
    Thread impostor =
        Thread.ofVirtual()
            .start(
                () -> {
                  Frame question = guest.awaitFrame(Protocol.IDENTIFY);
                  guest.send(FakeGuest.identified(question, "another-host").encode());
                });
    ForkIdentity identity =
        new ForkIdentity("sb-00112233-0001", "mine", "0".repeat(32), new byte[64]);
    assertFails(() -> agent.identify(identity, LATE), ErrorCode.GUEST_FAILED)
        .hasMessageContaining("hostname")
        .hasMessageContaining("another-host");
    impostor.join();
  }

  private ExecResult exec(Duration timeout) {
    return agent.exec(ExecRequest.of(List.of("true"), timeout));
  }

  private static AbstractThrowableAssert<?, ?> assertFails(ThrowingCallable call, ErrorCode code) {
    return assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            ForkdException.class, e -> assertThat(e.code()).as(e.getMessage()).isEqualTo(code));
  }
}
