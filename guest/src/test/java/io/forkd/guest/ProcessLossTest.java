package io.forkd.guest;

import static io.forkd.guest.HostAgent.PATIENCE;
import static io.forkd.guest.Specs.sh;
import static io.forkd.guest.Specs.withInput;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.forkd.base.ErrorCode;
import io.forkd.base.ForkdException;
import java.io.OutputStream;
import java.time.Duration;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * What becomes of those who wait for a process when its guest dies, is too old, or talks nonsense.
 */
@Timeout(120)
class ProcessLossTest {
  private static final Duration LONG = Duration.ofDays(1);

  @Test
  void theDeathOfTheAgentEndsEveryOpenCallAtOnce() throws Exception {
    try (HostAgent host = HostAgent.start();
        Agent agent = host.connect()) {
      ProcessTable processes = agent.processes();
      ProcessStream silent = processes.start(withInput("sleep 1000"));
      var listening = TcpServer.inBackground(() -> silent.next(LONG));
      var writing = TcpServer.inBackground(() -> writeTooMuch(processes, silent));
      agent.ping(PATIENCE);
      host.kill();
      assertLost(listening);
      assertLost(writing);
      assertThatThrownBy(() -> processes.start(sh("true"))).satisfies(ProcessLossTest::isLost);
      assertThatThrownBy(processes::list).satisfies(ProcessLossTest::isLost);
      assertThatThrownBy(() -> silent.next(LONG)).satisfies(ProcessLossTest::isLost);
    }
  }

  private static boolean writeTooMuch(ProcessTable processes, ProcessStream to) throws Exception {
    try (OutputStream input = processes.input(new ProcessRef.Pid(to.pid()))) {
      input.write(new byte[1_000_000]);
    }
    return true;
  }

  @Test
  void aStartThatIsUnderWayEndsWithTheConnection() throws Exception {
    try (FakeGuest guest = greeted()) {
      var starting = TcpServer.inBackground(() -> guest.agent().processes().start(sh("true")));
      guest.awaitFrame(Protocol.OPEN);
      guest.hangUp();
      assertLost(starting);
    }
  }

  @Test
  void aStartThatIsGivenUpDoesNotLeaveAProcessNobodyKnowsOf() throws Exception {
    try (FakeGuest guest = greeted()) {
      Thread starting =
          Thread.ofVirtual()
              .unstarted(() -> assertThatThrownBy(() -> guest.agent().processes().start(sh("x"))));
      starting.start();
      Frame open = guest.awaitFrame(Protocol.OPEN);
      starting.interrupt();
      assertThat(guest.awaitFrame(Protocol.CANCEL).stream()).isEqualTo(open.stream());
      assertThat(guest.awaitFrame(Protocol.RESET).stream()).isEqualTo(open.stream());
      starting.join();
    }
  }

  @Test
  void anAgentThatKnowsNoProcessesIsCalledOld() throws Exception {
    try (FakeGuest guest = greeted()) {
      Payload unknown = new Payload().u16(Protocol.ERROR_UNSUPPORTED).text("what?");
      var _ = answerOpen(guest, Protocol.RESET, unknown);
      assertThatThrownBy(() -> guest.agent().processes().start(sh("true")))
          .isInstanceOfSatisfying(
              ForkdException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.CONFLICT))
          .hasMessageContaining("make it anew");
    }
  }

  @Test
  void aProcessThatEndsInNoKnownWayCostsTheConnection() throws Exception {
    try (FakeGuest guest = greeted()) {
      ProcessStream stream = started(guest);
      guest.send(frame(Protocol.RESULT, 0, new Payload().u8(9).i32(0).u8(0)));
      assertThatThrownBy(() -> stream.next(LONG)).satisfies(ProcessLossTest::isLost);
      assertThat(guest.agent().isClosed()).isTrue();
    }
  }

  @Test
  void whatCameBeforeTheLossIsHeardFirst() throws Exception {
    try (FakeGuest guest = greeted()) {
      ProcessStream stream = started(guest);
      guest.send(frame(Protocol.DATA, 2, new Payload().raw(new byte[] {1}, 0, 1)));
      guest.send(frame(Protocol.DATA, 1, new Payload().raw(new byte[] {2}, 0, 1)));
      guest.hangUp();
      assertThat(output(stream)).isEqualTo(ProcessEvent.Channel.STDERR);
      assertThat(output(stream)).isEqualTo(ProcessEvent.Channel.STDOUT);
      assertThatThrownBy(() -> stream.next(LONG)).satisfies(ProcessLossTest::isLost);
    }
  }

  private static ProcessEvent.Channel output(ProcessStream stream) throws InterruptedException {
    return ((ProcessEvent.Output) stream.next(LONG).orElseThrow()).channel();
  }

  @Test
  void aGuestThatSendsMoreThanWasAskedForLosesItsChannel() throws Exception {
    try (FakeGuest guest = greeted()) {
      ProcessStream stream = started(guest);
      guest.sendUntilRefused(new Frame(Protocol.DATA, 1, 1, new byte[60_000]).encode());
      assertThatThrownBy(() -> hearAll(stream)).hasMessageContaining("more than its window");
    }
  }

  @Test
  void endsWhateverRandomFramesCome() throws Exception {
    for (int seed = 0; seed < 20; seed++) {
      Random random = new Random(seed);
      try (FakeGuest babbler = greeted()) {
        ProcessStream stream = started(babbler);
        var listening = TcpServer.inBackground(() -> hearAll(stream));
        var listing = TcpServer.inBackground(() -> babbler.agent().processes().list());
        for (int i = 0; i < 200; i++) {
          byte[] payload = CobsTest.randomBytes(random, random.nextInt(50));
          int type = Protocol.DATA + random.nextInt(7);
          babbler.send(new Frame(type, random.nextInt(3), random.nextInt(3), payload).encode());
        }
        babbler.hangUp();
        assertThat(listening.handle((_, failure) -> failure == null || isKnown(failure)))
            .succeedsWithin(PATIENCE)
            .isEqualTo(true);
        assertThat(listing.handle((_, failure) -> failure == null || isKnown(failure)))
            .succeedsWithin(PATIENCE)
            .isEqualTo(true);
      }
    }
  }

  private static Optional<ProcessEvent> hearAll(ProcessStream stream) throws InterruptedException {
    Optional<ProcessEvent> event = stream.next(LONG);
    while (event.isPresent()) {
      event = stream.next(LONG);
    }
    return event;
  }

  private static boolean isKnown(Throwable failure) {
    return failure instanceof ForkdException || failure.getCause() instanceof ForkdException;
  }

  private static FakeGuest greeted() throws Exception {
    FakeGuest guest = new FakeGuest();
    guest.greet(guest.awaitHello());
    return guest;
  }

  private static ProcessStream started(FakeGuest guest) throws Exception {
    var opened = answerOpen(guest, Protocol.OPENED, new Payload().i32(42).u8(0));
    ProcessStream stream = guest.agent().processes().start(sh("true"));
    opened.get();
    assertThat(stream.pid()).isEqualTo(42);
    return stream;
  }

  private static CompletableFuture<Boolean> answerOpen(FakeGuest guest, int type, Payload payload) {
    return TcpServer.inBackground(
        () -> {
          guest.awaitFrame(Protocol.OPEN);
          guest.send(frame(type, 0, payload));
          return true;
        });
  }

  private static byte[] frame(int type, int flags, Payload payload) {
    return new Frame(type, flags, 1, payload.toByteArray()).encode();
  }

  private static void assertLost(CompletableFuture<?> call) {
    assertThat(call.handle((_, failure) -> failure))
        .succeedsWithin(PATIENCE)
        .satisfies(ProcessLossTest::isLost);
  }

  private static void isLost(Throwable failure) {
    Throwable why = failure instanceof ForkdException ? failure : failure.getCause();
    assertThat(why)
        .isInstanceOfSatisfying(
            ForkdException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.GUEST_FAILED));
  }
}
