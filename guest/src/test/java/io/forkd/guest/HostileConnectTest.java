package io.forkd.guest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.forkd.base.ErrorCode;
import io.forkd.base.ForkdException;
import java.io.IOException;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a guest can do to those who are connected to its ports, and what it cannot. */
@Timeout(120)
class HostileConnectTest {
  private static final Duration SOON = Duration.ofMillis(300);
  private static final Duration LATE = Duration.ofSeconds(60);

  private FakeGuest guest;

  @BeforeEach
  void start() throws IOException {
    guest = new FakeGuest();
    guest.greet(guest.awaitHello());
  }

  @AfterEach
  void stop() throws IOException {
    guest.close();
  }

  @Test
  void aGuestThatDoesNotAnswerIsGivenUpAndTold() {
    assertFails(SOON, ErrorCode.TIMEOUT, "in time");
    Frame open = guest.awaitFrame(Protocol.OPEN);
    assertThat(guest.awaitFrame(Protocol.RESET).stream()).isEqualTo(open.stream());
  }

  @Test
  void anAgentThatKnowsNoPortsIsCalledOld() {
    answerOpen(Protocol.RESET, new Payload().u16(Protocol.ERROR_UNSUPPORTED).text("what?"));
    assertFails(LATE, ErrorCode.CONFLICT, "older than this forkd");
  }

  @Test
  void aConnectionThatEndsBeforeItStandsIsNone() {
    answerOpen(Protocol.RESULT, new Payload());
    assertFails(LATE, ErrorCode.GUEST_FAILED, "ended at once");
  }

  @Test
  void whatComesBeforeTheEndIsReadAndThenTheReasonIsGiven() throws Exception {
    GuestSocket socket = connect();
    send(Protocol.DATA, 1, new byte[] {1, 2, 3});
    send(Protocol.RESET, 0, new Payload().u16(13).text("it\u001b[2J broke").toByteArray());
    assertThat(socket.input().readNBytes(3)).containsExactly(1, 2, 3);
    assertThatThrownBy(() -> socket.input().read())
        .isInstanceOf(IOException.class)
        .hasMessageContaining("broke")
        .message()
        .doesNotContain("\u001b");
  }

  @Test
  void aGuestThatSaysItsPartAndBreaksOffAtOnceIsHeard() throws Exception {
    var _ =
        TcpServer.inBackground(
            () -> {
              guest.awaitFrame(Protocol.OPEN);
              send(Protocol.OPENED, 0, new byte[0]);
              send(Protocol.DATA, 1, new byte[] {7});
              send(Protocol.RESET, 0, new Payload().u16(13).text("gone").toByteArray());
              return null;
            });
    GuestSocket socket = guest.agent().connect(80, LATE);
    assertThat(socket.input().read()).isEqualTo(7);
    assertThatThrownBy(() -> socket.input().read())
        .isInstanceOf(IOException.class)
        .hasMessageContaining("gone");
  }

  @Test
  void aReaderThatHasItsEndDoesNotCareHowTheChannelEnds() throws Exception {
    GuestSocket socket = connect();
    send(Protocol.DATA, 1, new byte[] {1});
    send(Protocol.EOF, 1, new byte[0]);
    guest.hangUp();
    assertThat(socket.input().readAllBytes()).containsExactly(1);
    assertThatThrownBy(() -> endlessly(socket)).hasMessageContaining("Lost the agent");
  }

  @Test
  void aGuestThatSendsAfterItsEndLosesItsChannel() throws Exception {
    GuestSocket socket = connect();
    send(Protocol.EOF, 1, new byte[0]);
    send(Protocol.DATA, 1, new byte[] {1});
    assertThatThrownBy(() -> endlessly(socket)).hasMessageContaining("after its end");
  }

  @Test
  void aGuestThatSendsMoreThanWasAskedForLosesItsChannel() throws Exception {
    GuestSocket socket = connect();
    guest.sendUntilRefused(new Frame(Protocol.DATA, 1, 1, new byte[60_000]).encode());
    assertThatThrownBy(() -> socket.input().readAllBytes())
        .isInstanceOf(IOException.class)
        .hasMessageContaining("more than its window");
  }

  @Test
  void whatIsNotReadIsNotAskedFor() throws Exception {
    GuestSocket socket = connect();
    byte[] block = new byte[65536];
    for (int i = 0; i < 4; i++) {
      send(Protocol.DATA, 1, block);
    }
    socket.input().readNBytes(65536);
    Frame window = guest.awaitFrame(Protocol.WINDOW);
    assertThat(new Fields(window.payload()).i32()).isEqualTo(65536);
  }

  @Test
  void endsWhateverRandomFramesCome() throws Exception {
    for (int seed = 0; seed < 20; seed++) {
      Random random = new Random(seed);
      try (FakeGuest babbler = new FakeGuest()) {
        babbler.greet(babbler.awaitHello());
        Future<GuestSocket> opening =
            TcpServer.inBackground(() -> babbler.agent().connect(80, LATE));
        int stream = babbler.awaitFrame(Protocol.OPEN).stream();
        babbler.send(new Frame(Protocol.OPENED, 0, stream, new byte[0]).encode());
        GuestSocket socket = opening.get();
        var reader = TcpServer.inBackground(() -> socket.input().readAllBytes());
        for (int i = 0; i < 200; i++) {
          byte[] payload = CobsTest.randomBytes(random, random.nextInt(50));
          int type = Protocol.OPEN + random.nextInt(9);
          babbler.send(new Frame(type, random.nextInt(3), random.nextInt(3), payload).encode());
        }
        babbler.hangUp();
        assertThat(
                reader.handle((bytes, failure) -> bytes != null || failure instanceof IOException))
            .succeedsWithin(LATE)
            .isEqualTo(true);
      }
    }
  }

  private GuestSocket connect() throws Exception {
    Future<GuestSocket> opening = TcpServer.inBackground(() -> guest.agent().connect(80, LATE));
    Frame open = guest.awaitFrame(Protocol.OPEN);
    assertThat(open.payload()).containsExactly(Protocol.KIND_CONNECT, 80, 0);
    send(Protocol.OPENED, 0, new byte[0]);
    return opening.get();
  }

  private void answerOpen(int type, Payload payload) {
    var _ =
        TcpServer.inBackground(
            () -> {
              guest.awaitFrame(Protocol.OPEN);
              send(type, 0, payload.toByteArray());
              return null;
            });
  }

  private void send(int type, int flags, byte[] payload) {
    guest.send(new Frame(type, flags, 1, payload).encode());
  }

  private static void endlessly(GuestSocket socket) throws IOException {
    while (true) {
      socket.output().write(new byte[1000]);
    }
  }

  private void assertFails(Duration timeout, ErrorCode code, String said) {
    assertThatThrownBy(() -> guest.agent().connect(80, timeout))
        .isInstanceOfSatisfying(ForkdException.class, e -> assertThat(e.code()).isEqualTo(code))
        .hasMessageContaining(said);
  }
}
