package io.forkd.guest;

import static io.forkd.guest.HostAgent.PATIENCE;
import static io.forkd.guest.TcpServer.inBackground;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.forkd.base.ErrorCode;
import io.forkd.base.ForkdException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.SocketException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class ConnectTest {
  private static final int MEGABYTES = 8 << 20;

  private HostAgent host;
  private Agent agent;
  private TcpServer server;

  @BeforeEach
  void start() throws IOException {
    host = HostAgent.start();
    agent = host.connect();
    server = new TcpServer();
  }

  @AfterEach
  void stop() throws Exception {
    agent.close();
    host.assertCleanExit();
    host.close();
    server.close();
  }

  @Test
  void carriesMegabytesBothWaysAtOnce() throws Exception {
    server.serveAll(TcpServer::echo);
    assertEchoes(agent.connect(server.port(), PATIENCE), 1, MEGABYTES);
  }

  @Test
  void carriesFiftyConnectionsAtOnce() throws Exception {
    server.serveAll(TcpServer::echo);
    List<Future<Boolean>> all = new ArrayList<>();
    for (int i = 0; i < 50; i++) {
      int seed = i;
      all.add(
          inBackground(
              () -> {
                assertEchoes(agent.connect(server.port(), PATIENCE), seed, 300_000 + seed);
                return true;
              }));
    }
    for (Future<Boolean> one : all) {
      one.get();
    }
  }

  @Test
  void aGuestThatHasSentAllStillReads() throws Exception {
    Future<String> got =
        server.serveNext(
            client -> {
              client.getOutputStream().write("all I have to say".getBytes(UTF_8));
              client.shutdownOutput();
              return new String(client.getInputStream().readAllBytes(), UTF_8);
            });
    try (GuestSocket socket = agent.connect(server.port(), PATIENCE)) {
      assertThat(text(socket.input())).isEqualTo("all I have to say");
      assertThat(socket.input().read()).as("stays at its end").isEqualTo(-1);
      socket.output().write("thank you".getBytes(UTF_8));
      socket.output().close();
      assertThat(got.get()).isEqualTo("thank you");
    }
  }

  @Test
  void aGuestThatWasSentAllStillAnswers() throws Exception {
    Future<Boolean> answered =
        server.serveNext(
            client -> {
              byte[] question = client.getInputStream().readAllBytes();
              client.getOutputStream().write(question);
              client.getOutputStream().write('!');
              return true;
            });
    try (GuestSocket socket = agent.connect(server.port(), PATIENCE)) {
      socket.output().write("anyone".getBytes(UTF_8));
      socket.output().close();
      assertThatThrownBy(() -> socket.output().write(1))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("output")
          .hasMessageContaining("closed");
      assertThat(text(socket.input())).isEqualTo("anyone!");
      answered.get();
    }
  }

  @Test
  void saysThatNothingListens() throws Exception {
    int port = server.port();
    server.close();
    assertFails(() -> agent.connect(port, PATIENCE), ErrorCode.GUEST_FAILED, "nothing listens");
    assertThat(agent.ping(PATIENCE).pid()).isPositive();
  }

  @Test
  void findsAServerThatListensOnIpv6Alone() throws Exception {
    try (HostAgent own = HostAgent.withOwnNetwork(1)) {
      try (Agent inside = own.connect()) {
        assertEchoes(inside.connect(7, PATIENCE), 7, 10_000);
        assertEchoes(inside.connect(6, PATIENCE), 6, 10_000);
        assertFails(() -> inside.connect(8, PATIENCE), ErrorCode.GUEST_FAILED, "nothing listens");
      }
      own.assertCleanExit();
    }
  }

  @Test
  void refusesWhatIsNoPort() {
    for (int port : new int[] {-1, 0, 65536}) {
      assertFails(() -> agent.connect(port, PATIENCE), ErrorCode.BAD_REQUEST, "no port");
    }
  }

  @Test
  void aSlowReaderHoldsUpNobodyElse() throws Exception {
    server.serveAll(
        client -> {
          byte[] block = new byte[65536];
          while (true) {
            client.getOutputStream().write(block);
          }
        });
    try (GuestSocket slow = agent.connect(server.port(), PATIENCE)) {
      assertThat(slow.input().read()).isZero();
      try (TcpServer other = new TcpServer()) {
        other.serveAll(TcpServer::echo);
        assertEchoes(agent.connect(other.port(), PATIENCE), 3, MEGABYTES);
      }
      assertThat(agent.exec(ExecRequest.of(List.of("echo", "on"), PATIENCE)).stdout())
          .isEqualTo("on\n");
      assertThat(slow.input().readNBytes(MEGABYTES)).isEqualTo(new byte[MEGABYTES]);
    }
  }

  @Test
  void aGuestThatDoesNotReadHoldsUpItsWriterAloneUntilItIsClosed() throws Exception {
    CountDownLatch done = new CountDownLatch(1);
    server.serveAll(client -> done.await(120, TimeUnit.SECONDS));
    GuestSocket socket = agent.connect(server.port(), PATIENCE);
    Future<Boolean> writer =
        inBackground(
            () -> {
              byte[] block = new byte[65536];
              while (true) {
                socket.output().write(block);
              }
            });
    assertThat(agent.exec(ExecRequest.of(List.of("echo", "on"), PATIENCE)).stdout())
        .isEqualTo("on\n");
    Future<Integer> reader = inBackground(() -> socket.input().read());
    socket.close();
    assertEndedBy(writer, "closed");
    assertEndedBy(reader, "closed by this side");
    done.countDown();
  }

  @Test
  void givesTheGuestAllThatWasWrittenBeforeItWasClosed() throws Exception {
    CountDownLatch closed = new CountDownLatch(1);
    Future<byte[]> got =
        server.serveNext(
            client -> {
              assertThat(closed.await(60, TimeUnit.SECONDS)).isTrue();
              return client.getInputStream().readAllBytes();
            });
    GuestSocket socket = agent.connect(server.port(), PATIENCE);
    AtomicInteger written = new AtomicInteger();
    byte[] block = CobsTest.randomBytes(new Random(9), 32 * 1024);
    Future<Boolean> writer =
        inBackground(
            () -> {
              while (true) {
                socket.output().write(block);
                written.addAndGet(block.length);
              }
            });
    // The program reads nothing: in the end the agent is full of what it cannot pass on.
    awaitStandstill(written);
    socket.close();
    closed.countDown();
    assertEndedBy(writer, "closed");
    byte[] all = got.get();
    assertThat(all.length).isGreaterThanOrEqualTo(written.get());
    for (int i = 0; i < all.length; i += block.length) {
      int length = Math.min(block.length, all.length - i);
      assertThat(Arrays.equals(all, i, i + length, block, 0, length)).as("at %d", i).isTrue();
    }
  }

  @Test
  void aProgramThatBreaksTheConnectionIsNotTakenForOneThatEndedIt() throws Exception {
    Future<Boolean> gone =
        server.serveNext(
            client -> {
              client.getOutputStream().write("half of".getBytes(UTF_8));
              assertThat(client.getInputStream().read()).isEqualTo('k');
              client.setSoLinger(true, 0);
              return true;
            });
    try (GuestSocket socket = agent.connect(server.port(), PATIENCE)) {
      assertThat(new String(socket.input().readNBytes(7), UTF_8)).isEqualTo("half of");
      socket.output().write('k');
      gone.get();
      assertThatThrownBy(() -> socket.input().read())
          .isInstanceOf(IOException.class)
          .hasMessageContaining("port " + server.port())
          .hasMessageContaining("broke");
      assertThatThrownBy(() -> socket.output().write(1)).isInstanceOf(IOException.class);
    }
  }

  @Test
  void theEndOfTheChannelEndsBothDirectionsAndTheProgramsSideToo() throws Exception {
    Future<Integer> program = server.serveNext(client -> client.getInputStream().read());
    GuestSocket socket = agent.connect(server.port(), PATIENCE);
    Future<Integer> reader = inBackground(() -> socket.input().read());
    agent.close();
    assertEndedBy(reader, "Lost the agent");
    assertThatThrownBy(() -> socket.output().write(1))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("Lost the agent");
    assertThatThrownBy(program::get)
        .isInstanceOf(ExecutionException.class)
        .hasCauseInstanceOf(SocketException.class);
    socket.close();
  }

  @Test
  void manyConnectionsLeaveRoomForEverythingElse() throws Exception {
    server.serveAll(TcpServer::echo);
    List<GuestSocket> open = new ArrayList<>();
    for (int i = 0; i < 768; i++) {
      open.add(agent.connect(server.port(), PATIENCE));
    }
    assertFails(() -> agent.connect(server.port(), PATIENCE), ErrorCode.FULL, "too many");
    String limit = agent.exec(ExecRequest.of(List.of("sh", "-c", "ulimit -n"), PATIENCE)).stdout();
    Process here = new ProcessBuilder("sh", "-c", "ulimit -n").start();
    assertThat(limit)
        .as("programs have the limit that the agent was given")
        .isEqualTo(new String(here.getInputStream().readAllBytes(), UTF_8));
    assertEchoes(open.removeLast(), 4, 100_000);
    assertEchoes(agent.connect(server.port(), PATIENCE), 5, 100_000);
    open.forEach(GuestSocket::close);
  }

  @Test
  void aServerThatTakesNoConnectionsCostsOnlyTheCallersTime() throws Exception {
    try (var full = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      List<Future<GuestSocket>> attempts = new ArrayList<>();
      for (int i = 0; i < 5; i++) {
        attempts.add(
            inBackground(() -> agent.connect(full.getLocalPort(), Duration.ofMillis(300))));
      }
      int late = 0;
      for (Future<GuestSocket> attempt : attempts) {
        try {
          attempt.get().close();
        } catch (ExecutionException e) {
          assertThat(e.getCause())
              .isInstanceOfSatisfying(
                  ForkdException.class,
                  cause -> assertThat(cause.code()).isEqualTo(ErrorCode.TIMEOUT));
          late++;
        }
      }
      assertThat(late).isPositive();
    }
    assertThat(agent.ping(PATIENCE).pid()).isPositive();
  }

  private static void assertEchoes(GuestSocket socket, long seed, int length) throws Exception {
    byte[] sent = CobsTest.randomBytes(new Random(seed), length);
    try (socket) {
      Future<Boolean> writer =
          inBackground(
              () -> {
                socket.output().write(sent);
                socket.output().close();
                return true;
              });
      assertThat(socket.input().readAllBytes()).isEqualTo(sent);
      writer.get();
    }
  }

  private static void awaitStandstill(AtomicInteger counter) throws InterruptedException {
    int before = -1;
    while (counter.get() != before || before == 0) {
      before = counter.get();
      Thread.sleep(300);
    }
  }

  private static String text(InputStream input) throws IOException {
    return new String(input.readAllBytes(), UTF_8);
  }

  private static void assertEndedBy(Future<?> call, String why) {
    assertThatThrownBy(() -> call.get(60, TimeUnit.SECONDS))
        .isInstanceOf(ExecutionException.class)
        .cause()
        .isInstanceOf(IOException.class)
        .hasMessageContaining(why);
  }

  private static void assertFails(ThrowingCallable call, ErrorCode code, String said) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(ForkdException.class, e -> assertThat(e.code()).isEqualTo(code))
        .hasMessageContaining(said);
  }
}
