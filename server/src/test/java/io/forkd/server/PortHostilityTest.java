package io.forkd.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Guests and clients that would have the proxy take one thing for another. */
@Timeout(120)
class PortHostilityTest {
  private static final String OK = "HTTP/1.1 200 OK\r\n";
  private static PortServer server;

  @BeforeAll
  static void start() throws IOException {
    server =
        new PortServer(
            new PortTimes(
                Duration.ofSeconds(10),
                Duration.ofSeconds(3),
                Duration.ofMillis(100),
                Duration.ofSeconds(1)));
  }

  @AfterAll
  static void stop() throws IOException {
    server.close();
  }

  static Stream<String> noAnswers() {
    return Stream.of(
        "",
        "\r\n",
        "\r\n" + OK + "\r\n",
        " " + OK + "\r\n",
        "hello\r\n\r\n",
        "HTTP/1.1\r\n\r\n",
        "HTTP/1.1 20 OK\r\n\r\n",
        "HTTP/1.1 2000 OK\r\n\r\n",
        "HTTP/1.1 600 OK\r\n\r\n",
        "HTTP/1.1 099 OK\r\n\r\n",
        "HTTP/1.1 -200 OK\r\n\r\n",
        "HTTP/1.1  200 OK\r\n\r\n",
        "HTTP/1.1\t200 OK\r\n\r\n",
        "HTTP/2 200 OK\r\n\r\n",
        "HTTP/1.2 200 OK\r\n\r\n",
        "HTTP/0.9 200 OK\r\n\r\n",
        "ICY 200 OK\r\n\r\n",
        "http/1.1 200 OK\r\n\r\n",
        "HTTP/1.1 200 OK",
        OK,
        OK + "X: 1",
        OK + "X\r\n\r\n",
        OK + ": 1\r\n\r\n",
        OK + "X : 1\r\n\r\n",
        OK + " X: 1\r\n\r\n",
        OK + "A: 1\r\n folded\r\n\r\n",
        OK + "A: 1\rSet-Cookie: x\r\n\r\n",
        OK + "A: 1\0\r\n\r\n",
        OK + "A\0: 1\r\n\r\n",
        OK + "A: \u001b[31m\r\n\r\n",
        OK + "(A): 1\r\n\r\n",
        OK + "Content-Length: x\r\n\r\n",
        OK + "Content-Length: -1\r\n\r\n",
        OK + "Content-Length: +1\r\n\r\nx",
        OK + "Content-Length: 1, 1\r\n\r\nx",
        OK + "Content-Length: 1\r\nContent-Length: 2\r\n\r\nxx",
        OK + "Content-Length: 99999999999999999999\r\n\r\n",
        OK + "Content-Length: 0x10\r\n\r\n",
        OK + "Content-Length:\r\n\r\n",
        OK + "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        OK + "Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
        OK + "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        OK + "Transfer-Encoding: identity\r\n\r\nx",
        OK + "Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n",
        OK + "Transfer-Encoding:\u000bchunked\r\n\r\n0\r\n\r\n",
        "HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "HTTP/1.1 101 Switching\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\nraw",
        "HTTP/1.1 100 Continue\r\n\r\n".repeat(100),
        OK + "A: " + "a".repeat(40_000) + "\r\n\r\n",
        OK + "A: 1\r\n".repeat(300) + "\r\n",
        OK + "A".repeat(1_000_000));
  }

  @ParameterizedTest
  @MethodSource("noAnswers")
  void whatIsNoAnswerIsSaidToBeNone(String said) throws IOException {
    try (GuestProgram guest = GuestProgram.saying(said);
        Wire wire = server.tcp()) {
      wire.request("GET", server.path(guest.port(), "/"), "");
      Answer answer = wire.answer();
      assertThat(answer.status()).isEqualTo(502);
      assertThat(answer.error()).contains("port " + guest.port());
      assertStillInStep(wire);
    }
  }

  static Stream<String> brokenBodies() {
    String chunked = OK + "Transfer-Encoding: chunked\r\n\r\n";
    return Stream.of(
        chunked,
        chunked + "5\r\nhel",
        chunked + "5\r\nhello",
        chunked + "5\r\nhello\r\n",
        chunked + "5\r\nhelloX\r\n0\r\n\r\n",
        chunked + "-5\r\nhello\r\n0\r\n\r\n",
        chunked + "0x5\r\nhello\r\n0\r\n\r\n",
        chunked + "\r\n\r\n",
        chunked + "FFFFFFFFFFFFFFFFF\r\nhello",
        chunked + ";".repeat(10_000),
        chunked + "0\r\n" + "T: 1\r\n".repeat(10_000) + "\r\n",
        chunked + "0\r\n",
        OK + "Content-Length: 100\r\n\r\nshort");
  }

  @ParameterizedTest
  @MethodSource("brokenBodies")
  void anAnswerThatBreaksOffIsNeverTakenForAWholeOne(String said) throws IOException {
    try (GuestProgram guest = GuestProgram.saying(said);
        Wire wire = server.tcp()) {
      wire.request("GET", server.path(guest.port(), "/"), "");
      Answer head = wire.head();
      assertThat(head.status()).isEqualTo(200);
      if (head.header("content-length").isEmpty()) {
        assertThatThrownBy(wire::answerRest).isInstanceOf(IOException.class);
      } else {
        assertThat(wire.read(100)).hasSizeLessThan(100);
      }
      assertThat(wire.closedByServer()).isTrue();
    }
  }

  static IntStream seeds() {
    return IntStream.range(0, 40);
  }

  /** Each seed makes ten answers, which are well-formed but for a few bytes. */
  @ParameterizedTest
  @MethodSource("seeds")
  void answersWithABitOfNoiseNeverBreakTheConnectionsFraming(int seed) throws IOException {
    Random random = new Random(seed);
    for (int i = 0; i < 10; i++) {
      String said = noisy(random);
      try (GuestProgram guest = GuestProgram.saying(said);
          Wire wire = server.tcp()) {
        wire.request("GET", server.path(guest.port(), "/"), "");
        Answer answer;
        try {
          answer = wire.answer();
        } catch (IOException e) {
          // Cut off in the middle, as it must be when the guest's answer is.
          continue;
        }
        // More marks than noise, so that one is left.
        boolean guests = answer.headers().keySet().stream().anyMatch(h -> h.startsWith("guest-"));
        if (!guests) {
          assertThat(answer.status()).as(said).isEqualTo(502);
          assertThat(answer.error()).as(said).isNotBlank();
        }
        assertStillInStep(wire);
      }
    }
  }

  private static String noisy(Random random) {
    String framing =
        List.of(
                "Content-Length: 11\r\n\r\nhello world",
                "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n6\r\n world\r\n0\r\n\r\n",
                "\r\nhello world")
            .get(random.nextInt(3));
    byte[] said =
        ("HTTP/1.1 500 OK\r\nGuest-A: 1\r\nGuest-B: 1\r\nGuest-C: 1\r\nGuest-D: 1\r\nGuest-E: 1\r\n"
                + framing)
            .getBytes(StandardCharsets.ISO_8859_1);
    String alphabet = "\r\n\0 \t:;,0159AZaz\u00ff-";
    for (int i = random.nextInt(4); i >= 0; i--) {
      said[random.nextInt(said.length)] = (byte) alphabet.charAt(random.nextInt(alphabet.length()));
    }
    return new String(said, StandardCharsets.ISO_8859_1);
  }

  /** The connection carries another request, or is closed: it never says something else. */
  private static void assertStillInStep(Wire wire) throws IOException {
    try {
      wire.request("GET", "/v1/no/such/route", "");
      Answer next = wire.answer();
      assertThat(next.status()).isEqualTo(404);
      assertThat(next.error()).contains("/v1/no/such/route");
    } catch (IOException e) {
      assertThat(e).isNotInstanceOf(NumberFormatException.class);
    }
  }

  static Stream<String> adversarialRequests() {
    String inner = "GET /smuggled HTTP/1.1\r\nHost: localhost\r\n\r\n";
    return Stream.of(
        "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + inner,
        "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n" + inner,
        "Content-Length: 0\r\nContent-Length: 44\r\n\r\n" + inner,
        "Content-Length: 0, 44\r\n\r\n" + inner,
        "Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n" + inner,
        "Transfer-Encoding: identity, chunked\r\n\r\n0\r\n\r\n" + inner,
        "Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n" + inner,
        "Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n" + inner,
        "Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n" + inner,
        "Transfer-Encoding:\u000bchunked\r\n\r\n0\r\n\r\n" + inner,
        "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n" + inner,
        "X: a\rTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + inner,
        "X: a\0b\r\n\r\n" + inner,
        "Transfer-Encoding: chunked\r\n\r\n0\nX: y\r\n\r\n" + inner,
        "Transfer-Encoding: chunked\r\n\r\n-1\r\n" + inner,
        "Transfer-Encoding: chunked\r\n\r\n0x0\r\n\r\n" + inner,
        "Transfer-Encoding: chunked\r\n\r\n100000000\r\n" + inner,
        " Content-Length: 44\r\n\r\n" + inner,
        "Content-Length: 44\r\n folded\r\n\r\n" + inner,
        "Content-Length: +44\r\n\r\n" + inner,
        "Content-Length: 0x2c\r\n\r\n" + inner,
        "Connection: Content-Length\r\nContent-Length: 44\r\n\r\n" + inner,
        "Connection: Transfer-Encoding\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + inner,
        "Connection: Upgrade\r\nUpgrade: websocket\r\nContent-Length: 44\r\n\r\n" + inner,
        "Connection: Upgrade\r\nUpgrade: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + inner);
  }

  /**
   * Whatever a client says, a guest's connection carries one request, framed in one way, and what
   * follows it is the daemon's to answer.
   */
  @ParameterizedTest
  @MethodSource("adversarialRequests")
  void noRequestIsSmuggledPastTheDaemon(String rest) throws Exception {
    BlockingQueue<String> requests = new LinkedBlockingQueue<>();
    try (GuestProgram guest =
            new GuestProgram(
                socket -> {
                  String head = GuestProgram.head(socket);
                  requests.add(head);
                  GuestProgram.send(socket, OK + "X-From-Guest: 1\r\n\r\n");
                  socket.shutdownOutput();
                  byte[] body = socket.getInputStream().readAllBytes();
                  requests.add("body " + new String(body, StandardCharsets.ISO_8859_1));
                });
        Wire wire = server.tcp()) {
      wire.send(
          "POST %s HTTP/1.1\r\nHost: localhost\r\n%s"
              .formatted(server.path(guest.port(), "/x"), rest));
      // What is announced but never comes would be waited for.
      wire.endOutput();
      StringBuilder heard = new StringBuilder();
      byte[] buffer = new byte[4096];
      try {
        for (int count = wire.read(buffer); count > 0; count = wire.read(buffer)) {
          heard.append(new String(buffer, 0, count, StandardCharsets.ISO_8859_1));
        }
      } catch (IOException e) {
        heard.append("(cut off)");
      }
      assertThat(heard.toString())
          .matches("(?s)HTTP/1\\.1 (200|400|404|408|501|503).*|\\(cut off\\)");
      String head = requests.poll();
      if (head != null) {
        assertThat(head).startsWith("POST /x HTTP/1.1\r\n").doesNotContain("smuggled");
        int framings = head.split("(?im)^(content-length|transfer-encoding):", -1).length - 1;
        assertThat(framings).isLessThanOrEqualTo(1);
        String body = requests.take();
        boolean announced =
            head.contains("Content-Length: 44") || head.contains("Transfer-Encoding: chunked");
        assertThat(body.contains("smuggled")).as(head + body).isIn(false, announced);
      }
      assertThat(requests).isEmpty();
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "GET /x HTTP/1.1\r\nX: y",
        "G\tT",
        "GET\u000b",
        "GE(T)",
        "GET\r\n",
      })
  void aMethodThatIsNoneIsRefused(String method) throws IOException {
    try (GuestProgram guest = GuestProgram.saying(OK + "\r\n");
        Wire wire = server.tcp()) {
      wire.send(
          method + " " + server.path(guest.port(), "/") + " HTTP/1.1\r\nHost: localhost\r\n\r\n");
      assertThat(wire.answer().status()).isIn(400, 404, 505);
      assertThat(server.forkd.ports.connections).noneMatch(c -> c.closed.getCount() > 0);
    }
  }

  @Test
  void anEndlessHeadIsCutShort() throws Exception {
    try (GuestProgram guest =
        new GuestProgram(
            socket -> {
              GuestProgram.head(socket);
              GuestProgram.send(socket, OK);
              while (true) {
                GuestProgram.send(socket, "X: y\r\n");
              }
            })) {
      Answer answer = server.get(guest.port(), "/");
      assertThat(answer.status()).isEqualTo(502);
      assertThat(answer.error()).contains("more than 200 headers");
      while (guest.failures.isEmpty()) {
        Thread.sleep(5);
      }
    }
  }

  @Test
  void aGuestsLargestHeadFits() throws IOException {
    String value = "v".repeat(10_000);
    String said =
        OK
            + "A: %s\r\nB: %s\r\nC: %s\r\nContent-Length: 2\r\n\r\nok"
                .formatted(value, value, value);
    try (GuestProgram guest = GuestProgram.saying(said)) {
      Answer answer = server.get(guest.port(), "/");
      assertThat(answer.text()).isEqualTo("ok");
      assertThat(answer.header("c")).isEqualTo(value);
    }
  }
}
