package io.forkd.server;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a guest is asked and what its client hears, message by message. */
@Timeout(60)
class PortProxyTest {
  private static final String HELLO = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello";

  private final BlockingQueue<String> heads = new LinkedBlockingQueue<>();
  private volatile String said = HELLO;
  private PortServer server;
  private GuestProgram guest;

  @BeforeEach
  void start() throws IOException {
    server = new PortServer(PortServer.PATIENT);
    guest =
        new GuestProgram(
            socket -> {
              heads.add(GuestProgram.head(socket));
              GuestProgram.send(socket, said);
            });
  }

  @AfterEach
  void stop() throws IOException {
    server.close();
    guest.close();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "PROPFIND", "M-SEARCH"})
  void anyMethodIsPassedOn(String method) throws Exception {
    Answer answer = server.call(method, guest.port(), "/a", "");
    assertThat(answer.status()).isEqualTo(200);
    assertThat(answer.text()).isEqualTo("hello");
    assertThat(heads.take()).startsWith(method + " /a HTTP/1.1\r\n");
    server.awaitNoneOpen();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/",
        "/?",
        "/a/b?x=1&y=%20&z=a+b",
        "/a%2Fb",
        "/a//b",
        "//a",
        "/%2e%2e/x",
        "/a/../b/./c",
        "/a;v=1/b",
        "/100%25",
        "/%ff%fe",
        "/a|b",
        "/?q=%00%0d%0aX:%20y",
        "/?a=http://b/c?d"
      })
  void pathAndQueryArriveAsTheyWereSent(String rest) throws Exception {
    assertThat(server.get(guest.port(), rest).status()).isEqualTo(200);
    assertThat(heads.take()).startsWith("GET " + rest + " HTTP/1.1\r\n");
  }

  @ParameterizedTest
  @ValueSource(strings = {"/%00", "/%zz", "/%0d%0aX: y"})
  void whatIsNoPathIsRefused(String rest) throws IOException {
    Answer answer = server.get(guest.port(), rest);
    assertThat(answer.status()).isEqualTo(400);
    assertThat(answer.error()).isNotBlank();
  }

  @Test
  void theGuestSeesItselfAndHearsWhereItIsFound() throws Exception {
    server.get(guest.port(), "/", "Host: localhost:8889", "X-Forwarded-For: 6.6.6.6");
    assertThat(heads.take())
        .contains("Host: localhost:%d\r\n".formatted(guest.port()))
        .contains("X-Forwarded-For: 127.0.0.1\r\n")
        .contains("X-Forwarded-Proto: http\r\n")
        .contains("X-Forwarded-Host: localhost:8889\r\n")
        .contains("X-Forwarded-Prefix: %s\r\n".formatted(server.path(guest.port(), "")))
        .contains("Connection: close\r\n")
        .doesNotContain("6.6.6.6");
  }

  @Test
  void whatConcernsTheDaemonStaysThere() throws Exception {
    server.get(
        guest.port(),
        "/",
        "Authorization: Bearer secret",
        "X-API-Key: secret",
        "X_Api_Key: secret",
        "Proxy-Authorization: secret",
        "Cookie: a=1; forkd_session=secret; b=2",
        "Cookie: FORKD=secret",
        "Connection: keep-alive, X-Hop",
        "X-Hop: secret",
        "Keep-Alive: secret",
        "TE: trailers",
        "X_Forwarded_For: secret",
        "Forwarded: for=secret",
        "X-Custom: kept");
    assertThat(heads.take())
        .doesNotContain("secret")
        .doesNotContain("TE:")
        .contains("Cookie: a=1; b=2\r\n")
        .contains("X-Custom: kept\r\n");
  }

  @Test
  void theTokenNeverReachesAGuest() throws Exception {
    try (TestServer guarded = TestServer.withToken();
        Wire wire = guarded.tcp()) {
      String auth = "Authorization: Bearer " + TestServer.TOKEN;
      String body = "{\"snapshot_tag\":\"base\"}";
      String id = guarded.post("/v1/sandboxes", body, auth).json().path(0).path("id").asString();
      String path = "/v1/sandboxes/%s/ports/%d/".formatted(id, guest.port());
      wire.request("GET", path, "", auth);
      assertThat(wire.answer().text()).isEqualTo("hello");
      assertThat(heads.take()).doesNotContain(TestServer.TOKEN);
      assertThat(guarded.get(path).status()).isEqualTo(401);
      assertThat(guarded.get(path, "Upgrade: websocket", "Connection: Upgrade").status())
          .isEqualTo(401);
      assertThat(heads).isEmpty();
    }
  }

  @Test
  void aPageOfTheGuestsIsOfItsOwnOrigin() throws Exception {
    String path = server.path(guest.port(), "/ws");
    try (Wire wire = server.unix()) {
      wire.request("GET", path, "", "Host: forkd.example", "Origin: http://forkd.example");
      wire.answer();
      assertThat(heads.take()).contains("Origin: http://localhost:%d\r\n".formatted(guest.port()));
      wire.request("GET", path, "", "Host: forkd.example", "Origin: http://evil.example");
      wire.answer();
      assertThat(heads.take()).contains("Origin: http://evil.example\r\n");
    }
  }

  @Test
  void anAnswersHeadersArePassedOnButForThoseThatReachTooFar() throws IOException {
    said =
        lines(
            "HTTP/1.1 418 Teapot",
            "X-A: 1",
            "x-a: 2",
            "Date: then",
            "Connection: X-Hop",
            "X-Hop: no",
            "Keep-Alive: no",
            "Strict-Transport-Security: no",
            "Alt-Svc: no",
            "Content-Length: 2",
            "",
            "hi");
    try (Wire wire = server.unix()) {
      wire.request("GET", server.path(guest.port(), "/"), "");
      Answer answer = wire.answer();
      assertThat(answer.status()).isEqualTo(418);
      assertThat(answer.text()).isEqualTo("hi");
      assertThat(answer.headers())
          .containsEntry("x-a", "2")
          .containsEntry("date", "then")
          .containsEntry("content-length", "2")
          .doesNotContainKeys(
              "x-hop", "keep-alive", "strict-transport-security", "alt-svc", "connection");
    }
  }

  @Test
  void aPageAskedForWithoutProofIsDeniedTheDaemonsOrigin() throws IOException {
    assertThat(server.get(guest.port(), "/").header("content-security-policy"))
        .startsWith("sandbox ")
        .doesNotContain("allow-same-origin");
    try (Wire wire = server.unix()) {
      wire.request("GET", server.path(guest.port(), "/"), "");
      assertThat(wire.answer().headers()).doesNotContainKey("content-security-policy");
    }
  }

  @Test
  void cookiesStayWithTheirPort() throws IOException {
    said =
        lines(
            "HTTP/1.1 200 OK",
            "Set-Cookie: a=1; Path=/x; Domain=evil.example; HttpOnly",
            "Content-Length: 0",
            "",
            "");
    assertThat(server.get(guest.port(), "/").header("set-cookie"))
        .isEqualTo("a=1; HttpOnly; Path=" + server.path(guest.port(), "/x"));
  }

  @Test
  void redirectsWithinTheGuestAreTranslated() throws IOException {
    said =
        "HTTP/1.1 302 Found\r\nLocation: http://localhost:%d/login?x=1\r\nContent-Length: 0\r\n\r\n"
            .formatted(guest.port());
    assertThat(server.get(guest.port(), "/").header("location"))
        .isEqualTo(server.path(guest.port(), "/login?x=1"));
  }

  @ParameterizedTest
  @CsvSource({"HEAD,200", "GET,204", "GET,304"})
  void anAnswerWithoutABodyHasNone(String method, int status) throws IOException {
    said = "HTTP/1.1 %d X\r\nContent-Length: %d\r\nETag: e\r\n\r\n".formatted(status, 7_000_000);
    try (Wire wire = server.tcp()) {
      for (int i = 0; i < 3; i++) {
        wire.request(method, server.path(guest.port(), "/"), "");
        Answer answer = wire.answer(false);
        assertThat(answer.status()).isEqualTo(status);
        assertThat(answer.header("etag")).isEqualTo("e");
        if (method.equals("HEAD")) {
          assertThat(answer.header("content-length")).isEqualTo("7000000");
        }
      }
    }
  }

  @Test
  void anAnswerUntilTheEndOfItsConnectionIsWhole() throws IOException {
    said = "HTTP/1.0 200 OK\r\n\r\n" + "x".repeat(100_000);
    try (Wire wire = server.tcp()) {
      wire.request("GET", server.path(guest.port(), "/"), "");
      assertThat(wire.answer().text()).hasSize(100_000);
      wire.request("GET", server.path(guest.port(), "/"), "");
      assertThat(wire.answer().text()).hasSize(100_000);
    }
  }

  @Test
  void chunksArriveAndTrailersDoNot() throws IOException {
    said =
        lines(
            "HTTP/1.1 200 OK",
            "Trailer: X-T",
            "Transfer-Encoding: chunked",
            "",
            "5;ext=1",
            "hello",
            "6",
            " world",
            "0",
            "X-T: secret",
            "",
            "");
    try (Wire wire = server.tcp()) {
      wire.request("GET", server.path(guest.port(), "/"), "");
      Answer answer = wire.answer();
      assertThat(answer.text()).isEqualTo("hello world");
      assertThat(answer.headers()).doesNotContainKeys("trailer", "x-t");
      wire.request("GET", server.path(guest.port(), "/"), "");
      assertThat(wire.answer().text()).isEqualTo("hello world");
    }
  }

  @Test
  void earlyHintsAreNotTheAnswer() throws IOException {
    String early = "HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n";
    said = early + HELLO;
    assertThat(server.get(guest.port(), "/").text()).isEqualTo("hello");
  }

  @Test
  void thePortsRootHasASlash() throws IOException {
    Answer answer = server.call("POST", guest.port(), "?a=%20b", "");
    assertThat(answer.status()).isEqualTo(308);
    assertThat(answer.header("location")).isEqualTo(server.path(guest.port(), "/?a=%20b"));
    assertThat(heads).isEmpty();
  }

  @Test
  void whereNothingListensItSaysSoAndWhatToDo() throws IOException {
    int free;
    try (ServerSocket probe = new ServerSocket(0)) {
      free = probe.getLocalPort();
    }
    Answer answer = server.get(free, "/");
    assertThat(answer.status()).isEqualTo(502);
    assertThat(answer.error()).contains("Nothing listens on port " + free, "Next: start a server");
  }

  @ParameterizedTest
  @CsvSource({
    "/v1/sandboxes/sb-0123456789-0009/ports/80/,404",
    "/v1/sandboxes/sb-0123456789-0009/ports/80,404",
    "/v1/sandboxes/..%2f/ports/80/,400",
    "/v1/sandboxes/sb-0123456789-0009/ports/0/,400",
    "/v1/sandboxes/sb-0123456789-0009/ports/65536/,400",
    "/v1/sandboxes/sb-0123456789-0009/ports/-1/,400",
    "/v1/sandboxes/sb-0123456789-0009/ports/080/,400",
    "/v1/sandboxes/sb-0123456789-0009/ports/http/,400",
    "/v1/sandboxes/sb-0123456789-0009/ports/,400"
  })
  void sandboxesAndPortsThatAreNoneAreRefused(String path, int status) throws IOException {
    try (Wire wire = server.tcp()) {
      wire.request("GET", path, "");
      Answer answer = wire.answer();
      assertThat(answer.status()).isEqualTo(status);
      assertThat(answer.error()).isNotBlank();
    }
  }

  @Test
  void aGuestMayRefuseABodyBeforeItIsSent() throws Exception {
    said = "HTTP/1.1 413 Too large\r\nContent-Length: 3\r\n\r\nno!";
    try (Wire wire = server.tcp()) {
      wire.send(
          lines(
                  "PUT %s HTTP/1.1",
                  "Host: localhost", "Expect: 100-continue", "Content-Length: 5000000000", "", "")
              .formatted(server.path(guest.port(), "/")));
      Answer answer = wire.answer();
      assertThat(answer.status()).isEqualTo(413);
      assertThat(answer.text()).isEqualTo("no!");
      assertThat(heads.take()).contains("Expect: 100-continue\r\n");
      assertThat(wire.closedByServer()).isTrue();
    }
  }

  @Test
  void aClientThatWaitsIsAskedForItsBodyWhenTheGuestIs() throws Exception {
    try (GuestProgram asking =
            new GuestProgram(
                socket -> {
                  GuestProgram.head(socket);
                  GuestProgram.send(socket, "HTTP/1.1 100 Continue\r\n\r\n");
                  byte[] body = socket.getInputStream().readNBytes(4);
                  GuestProgram.reply(socket, "got " + new String(body, UTF_8));
                });
        Wire wire = server.tcp()) {
      wire.send(
          "PUT %s HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Length: 4\r\n\r\n"
              .formatted(server.path(asking.port(), "/")));
      assertThat(wire.head().status()).isEqualTo(100);
      wire.send("body");
      assertThat(wire.answer().text()).isEqualTo("got body");
    }
  }

  @Test
  void aGuestThatDoesNotKnowToAskGetsTheBodyAfterAWhile() throws Exception {
    PortTimes hasty =
        new PortTimes(
            PortServer.PATIENT.connect(),
            PortServer.PATIENT.idle(),
            Duration.ofMillis(50),
            PortServer.PATIENT.drain());
    try (PortServer hastier = new PortServer(hasty);
        GuestProgram ignorant =
            new GuestProgram(
                socket -> {
                  GuestProgram.head(socket);
                  GuestProgram.reply(
                      socket, new String(socket.getInputStream().readNBytes(4), UTF_8));
                });
        Wire wire = hastier.tcp()) {
      wire.send(
          "PUT %s HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Length: 4\r\n\r\n"
              .formatted(hastier.path(ignorant.port(), "/")));
      assertThat(wire.head().status()).isEqualTo(100);
      wire.send("body");
      assertThat(wire.answer().text()).isEqualTo("body");
    }
  }

  @Test
  void bodiesWithALengthAndInChunksArriveAsSuch() throws Exception {
    try (GuestProgram echo = new GuestProgram(PortProxyTest::echoHeadAndBody);
        Wire wire = server.unix()) {
      wire.request("POST", server.path(echo.port(), "/"), "12345");
      assertThat(wire.answer().text()).contains("content-length: 5").endsWith("\r\n\r\n12345");
      wire.send(
          "POST %s HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\nT: 1\r\n\r\n"
              .formatted(server.path(echo.port(), "/")));
      assertThat(wire.answer().text())
          .contains("transfer-encoding: chunked")
          .doesNotContain("t: 1")
          .doesNotContain("content-length");
    }
  }

  private static String lines(String... lines) {
    return String.join("\r\n", lines);
  }

  /** Says back what it was sent, framing and all. */
  private static void echoHeadAndBody(Socket socket) throws IOException {
    String head = GuestProgram.head(socket).toLowerCase(Locale.ROOT);
    StringBuilder body = new StringBuilder();
    if (head.contains("chunked")) {
      while (body.indexOf("0\r\n\r\n") < 0) {
        body.append((char) socket.getInputStream().read());
      }
    } else {
      body.append(new String(socket.getInputStream().readNBytes(5), UTF_8));
    }
    GuestProgram.reply(socket, head + body);
  }
}
