package io.forkd.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Bodies that are long, slow, endless or cut off. */
@Timeout(120)
class PortStreamTest {
  private static final long LARGE = 64L << 20;

  /** More than the kernel, Jetty and the proxy hold together on the way, and far less than all. */
  private static final long MOST_UNDER_WAY = 32L << 20;

  private PortServer server;

  @BeforeEach
  void start() throws IOException {
    server = new PortServer(PortServer.PATIENT);
  }

  @AfterEach
  void stop() throws IOException {
    server.close();
  }

  @Test
  void eventsArriveOneByOne() throws Exception {
    CountDownLatch heard = new CountDownLatch(3);
    try (GuestProgram guest =
            new GuestProgram(
                socket -> {
                  GuestProgram.head(socket);
                  GuestProgram.send(
                      socket, "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n");
                  for (int i = 0; i < 3; i++) {
                    long before = heard.getCount();
                    GuestProgram.send(socket, "data: %d\n\n".formatted(i));
                    // The next is sent only once this one was heard.
                    while (heard.getCount() == before) {
                      Thread.sleep(1);
                    }
                  }
                });
        Wire wire = server.tcp()) {
      wire.request("GET", server.path(guest.port(), "/"), "");
      assertThat(wire.head().header("content-type")).isEqualTo("text/event-stream");
      for (int i = 0; i < 3; i++) {
        assertThat(wire.chunk()).isEqualTo("data: %d\n\n".formatted(i));
        heard.countDown();
      }
      assertThat(wire.chunk()).isEmpty();
    }
  }

  @Test
  void whatTheClientSendsArrivesBitByBit() throws Exception {
    try (GuestProgram guest =
            new GuestProgram(
                socket -> {
                  GuestProgram.head(socket);
                  GuestProgram.send(socket, "HTTP/1.1 200 OK\r\n\r\n");
                  InputStream in = socket.getInputStream();
                  for (int i = 0; i < 3; i++) {
                    byte[] chunk = in.readNBytes("1\r\na\r\n".length());
                    GuestProgram.send(socket, String.valueOf((char) chunk[3]));
                  }
                });
        Wire wire = server.tcp()) {
      wire.send(
          "POST %s HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
              .formatted(server.path(guest.port(), "/")));
      assertThat(wire.head().status()).isEqualTo(200);
      for (String letter : List.of("a", "b", "c")) {
        wire.send("1\r\n%s\r\n".formatted(letter));
        assertThat(wire.chunk()).isEqualTo(letter);
      }
      wire.send("0\r\n\r\n");
      assertThat(wire.chunk()).isEmpty();
    }
  }

  @Test
  void aGuestThatDoesNotReadHoldsUpItsClientAndNothingElse() throws Exception {
    CountDownLatch gate = new CountDownLatch(1);
    try (GuestProgram guest =
            new GuestProgram(
                socket -> {
                  GuestProgram.head(socket);
                  gate.await();
                  long count = drain(socket.getInputStream(), LARGE);
                  GuestProgram.reply(socket, "got " + count);
                });
        Wire wire = server.tcp()) {
      AtomicLong sent = new AtomicLong();
      CompletableFuture<Void> sending =
          CompletableFuture.runAsync(() -> upload(wire, guest.port(), sent));
      awaitStandstill(sent);
      assertThat(sent.get()).isLessThan(MOST_UNDER_WAY);
      try (GuestProgram other = GuestProgram.saying("HTTP/1.1 200 OK\r\n\r\nhi")) {
        assertThat(server.get(other.port(), "/").text()).isEqualTo("hi");
      }
      gate.countDown();
      sending.get(60, TimeUnit.SECONDS);
      assertThat(wire.answer().text()).isEqualTo("got " + LARGE);
    }
  }

  @Test
  void aClientThatDoesNotReadHoldsUpItsGuestAndNothingElse() throws Exception {
    AtomicLong sent = new AtomicLong();
    try (GuestProgram guest =
            new GuestProgram(
                socket -> {
                  GuestProgram.head(socket);
                  GuestProgram.send(
                      socket, "HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n".formatted(LARGE));
                  byte[] block = new byte[64 << 10];
                  for (long i = 0; i < LARGE; i += block.length) {
                    socket.getOutputStream().write(block);
                    sent.addAndGet(block.length);
                  }
                });
        Wire wire = server.tcp()) {
      wire.request("GET", server.path(guest.port(), "/"), "");
      awaitStandstill(sent);
      assertThat(sent.get()).isLessThan(MOST_UNDER_WAY);
      try (GuestProgram other = GuestProgram.saying("HTTP/1.1 200 OK\r\n\r\nhi")) {
        assertThat(server.get(other.port(), "/").text()).isEqualTo("hi");
      }
      assertThat(wire.head().header("content-length")).isEqualTo("" + LARGE);
      assertThat(wire.read((int) LARGE)).hasSize((int) LARGE);
    }
  }

  @Test
  void aClientThatGoesAwayInTheMiddleOfAnAnswerEndsTheGuestsConnection() throws Exception {
    CountDownLatch broken = new CountDownLatch(1);
    try (GuestProgram guest =
        new GuestProgram(
            socket -> {
              GuestProgram.head(socket);
              GuestProgram.send(socket, "HTTP/1.1 200 OK\r\n\r\n");
              try {
                while (true) {
                  socket.getOutputStream().write(new byte[1024]);
                }
              } catch (IOException e) {
                broken.countDown();
              }
            })) {
      try (Wire wire = server.tcp()) {
        wire.request("GET", server.path(guest.port(), "/"), "");
        assertThat(wire.head().status()).isEqualTo(200);
        assertThat(wire.chunk()).isNotEmpty();
      }
      broken.await();
      server.awaitNoneOpen();
    }
  }

  @Test
  void aClientThatGoesAwayInTheMiddleOfItsBodyEndsTheGuestsConnection() throws Exception {
    CountDownLatch ended = new CountDownLatch(1);
    try (GuestProgram guest =
        new GuestProgram(
            socket -> {
              GuestProgram.head(socket);
              drain(socket.getInputStream(), LARGE);
              ended.countDown();
            })) {
      try (Wire wire = server.tcp()) {
        wire.send(
            "POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\nonly this"
                .formatted(server.path(guest.port(), "/")));
        while (server.forkd.ports.open() == 0) {
          Thread.sleep(1);
        }
      }
      ended.await();
      server.awaitNoneOpen();
    }
  }

  @Test
  void aGuestThatGoesAwayInTheMiddleOfItsAnswerCutsTheClientOff() throws Exception {
    for (String framing : List.of("Content-Length: 1000", "Transfer-Encoding: chunked")) {
      try (GuestProgram guest =
              GuestProgram.saying("HTTP/1.1 200 OK\r\n%s\r\n\r\n5\r\nabcd".formatted(framing));
          Wire wire = server.tcp()) {
        wire.request("GET", server.path(guest.port(), "/"), "");
        Answer head = wire.head();
        assertThat(head.status()).isEqualTo(200);
        if (head.header("content-length").isEmpty()) {
          assertThatThrownBy(wire::answerRest).isInstanceOf(IOException.class);
        } else {
          assertThat(wire.read(1000)).hasSizeLessThan(1000);
        }
      }
    }
    server.awaitNoneOpen();
  }

  @Test
  void aGuestThatAnswersBeforeItHasReadTheBodyIsHeard() throws Exception {
    try (GuestProgram guest =
            new GuestProgram(
                socket -> {
                  GuestProgram.head(socket);
                  GuestProgram.send(
                      socket, "HTTP/1.1 413 Too large\r\nContent-Length: 4\r\n\r\nless");
                  socket.shutdownOutput();
                  // As servers do that want to be heard.
                  drain(socket.getInputStream(), 1 << 20);
                });
        Wire wire = server.tcp()) {
      AtomicLong sent = new AtomicLong();
      CompletableFuture<Void> sending =
          CompletableFuture.runAsync(() -> upload(wire, guest.port(), sent));
      Answer answer = wire.answer();
      assertThat(answer.status()).isEqualTo(413);
      assertThat(answer.text()).isEqualTo("less");
      // The proxy takes some of what is left and then hangs up.
      assertThatThrownBy(() -> sending.get(60, TimeUnit.SECONDS)).isNotNull();
      server.awaitNoneOpen();
    }
  }

  @Test
  void aHundredRequestsAreUnderWayAtOnce() throws Exception {
    CyclicBarrier all = new CyclicBarrier(100);
    try (GuestProgram guest =
            new GuestProgram(
                socket -> {
                  String head = GuestProgram.head(socket);
                  all.await(60, TimeUnit.SECONDS);
                  GuestProgram.reply(socket, head.substring(0, head.indexOf(" HTTP")));
                });
        ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Callable<String>> calls = new ArrayList<>();
      for (int i = 0; i < 100; i++) {
        int number = i;
        calls.add(
            () -> {
              try (Wire wire = number % 2 == 0 ? server.tcp() : server.unix()) {
                wire.request("GET", server.path(guest.port(), "/" + number), "");
                return wire.answer().text();
              }
            });
      }
      List<Future<String>> answers = threads.invokeAll(calls);
      for (int i = 0; i < 100; i++) {
        assertThat(answers.get(i).get()).isEqualTo("GET /" + i);
      }
    }
    server.awaitNoneOpen();
  }

  @Test
  void aSilentGuestIsGivenUp() throws Exception {
    try (PortServer impatient =
            new PortServer(
                new PortTimes(
                    Duration.ofMillis(200),
                    Duration.ofMillis(200),
                    Duration.ofMillis(50),
                    Duration.ofSeconds(1)));
        GuestProgram silent = new GuestProgram(socket -> drain(socket.getInputStream(), LARGE));
        GuestProgram stuck =
            new GuestProgram(
                socket -> {
                  GuestProgram.send(socket, "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nstu");
                  drain(socket.getInputStream(), LARGE);
                })) {
      Answer answer = impatient.get(silent.port(), "/");
      assertThat(answer.status()).isEqualTo(504);
      assertThat(answer.error()).contains("port %d of".formatted(silent.port()), "silent");
      Answer slow = impatient.get(FakePorts.SLOW, "/");
      assertThat(slow.status()).isEqualTo(504);
      assertThat(slow.error()).contains("accepted");
      try (Wire wire = impatient.tcp()) {
        wire.request("GET", impatient.path(stuck.port(), "/"), "");
        assertThat(wire.head().status()).isEqualTo(200);
        assertThat(wire.read(9)).hasSize(3);
      }
      impatient.awaitNoneOpen();
    }
  }

  @Test
  void aClientWhoseBodyStopsIsToldSo() throws Exception {
    try (PortServer impatient = new PortServer(PortServer.PATIENT, Duration.ofMillis(300));
        GuestProgram guest = new GuestProgram(socket -> drain(socket.getInputStream(), LARGE));
        Wire wire = impatient.tcp()) {
      wire.send(
          "POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\nabc"
              .formatted(impatient.path(guest.port(), "/")));
      Answer answer = wire.answer();
      assertThat(answer.status()).isEqualTo(408);
      assertThat(answer.error()).contains("did not arrive");
      assertThat(wire.closedByServer()).isTrue();
      impatient.awaitNoneOpen();
    }
  }

  @Test
  void aBodyThatNobodyWantsAndThatDoesNotComeIsNotWaitedFor() throws Exception {
    PortTimes hasty =
        new PortTimes(
            PortServer.PATIENT.connect(),
            PortServer.PATIENT.idle(),
            PortServer.PATIENT.consent(),
            Duration.ofMillis(100));
    try (PortServer impatient = new PortServer(hasty);
        GuestProgram rude = GuestProgram.saying("");
        Wire wire = impatient.tcp()) {
      wire.send(
          "POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\nabc"
              .formatted(impatient.path(rude.port(), "/")));
      Answer answer = wire.answer();
      assertThat(answer.status()).isEqualTo(502);
      assertThat(answer.error()).contains("closed the connection");
      assertThat(wire.closedByServer()).isTrue();
    }
  }

  @Test
  void theServerDoesNotWaitForEventStreamsToEnd() throws Exception {
    CountDownLatch ended = new CountDownLatch(1);
    try (GuestProgram guest =
            new GuestProgram(
                socket -> {
                  GuestProgram.head(socket);
                  GuestProgram.send(
                      socket, "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\nx");
                  drain(socket.getInputStream(), LARGE);
                  ended.countDown();
                });
        Wire wire = server.tcp()) {
      wire.request("GET", server.path(guest.port(), "/"), "");
      wire.head();
      assertThat(wire.chunk()).isEqualTo("x");
      server.stop();
      ended.await();
      assertThatThrownBy(wire::chunk).isInstanceOf(IOException.class);
    }
  }

  private void upload(Wire wire, int port, AtomicLong sent) {
    try {
      wire.send(
          "POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n"
              .formatted(server.path(port, "/"), LARGE));
      byte[] block = new byte[64 << 10];
      for (long i = 0; i < LARGE; i += block.length) {
        wire.send(block);
        sent.addAndGet(block.length);
      }
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  private static long drain(InputStream in, long most) throws IOException {
    byte[] buffer = new byte[64 << 10];
    long total = 0;
    while (total < most) {
      int count = in.read(buffer);
      if (count < 0) {
        return total;
      }
      total += count;
    }
    return total;
  }

  /** Nothing moves any more, or all has been sent: which, the caller asserts. */
  private static void awaitStandstill(AtomicLong counter) throws InterruptedException {
    long last = -1;
    while (counter.get() != last || last <= 0) {
      last = counter.get();
      Thread.sleep(500);
    }
  }
}
