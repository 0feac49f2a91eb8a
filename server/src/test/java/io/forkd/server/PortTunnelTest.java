package io.forkd.server;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Connections that leave HTTP: WebSockets, and plain TCP. */
@Timeout(120)
class PortTunnelTest {
  private static final String UPGRADE = "Connection: Upgrade\r\nUpgrade: forkd-tcp";

  /** Long enough for the first request of a cold JVM on a busy machine. */
  private static final Duration PATIENCE = Duration.ofSeconds(2);

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
  void aWebSocketClientTalksToAGuest() throws Exception {
    try (GuestProgram guest = new GuestProgram(WebSocketEcho::serve);
        HttpClient http = HttpClient.newHttpClient()) {
      LinkedBlockingQueue<String> heard = new LinkedBlockingQueue<>();
      WebSocket socket =
          http.newWebSocketBuilder()
              .subprotocols("chat")
              .buildAsync(
                  URI.create("ws://127.0.0.1:%d%s".formatted(server.port, path(guest, "/ws?a=1"))),
                  new Listener(heard))
              .get(30, TimeUnit.SECONDS);
      assertThat(socket.getSubprotocol()).isEqualTo("chat");
      for (int size : new int[] {1, 200, 70_000}) {
        String text = "é".repeat(size);
        socket.sendText(text, true).get(30, TimeUnit.SECONDS);
        StringBuilder all = new StringBuilder();
        while (all.length() < size) {
          all.append(heard.take());
        }
        assertThat(all.toString()).isEqualTo(text);
      }
      socket.sendClose(WebSocket.NORMAL_CLOSURE, "").get(30, TimeUnit.SECONDS);
      server.awaitNoneOpen();
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aWebSocketIsSpokenByHandOverEitherDoor(boolean unix) throws Exception {
    try (GuestProgram guest = new GuestProgram(WebSocketEcho::serve);
        Wire wire = unix ? server.unix() : server.tcp()) {
      // The first frame is sent before the answer is heard.
      wire.send(
          String.join(
                  "\r\n",
                  "GET %s HTTP/1.1",
                  "Host: localhost",
                  "Connection: keep-alive, Upgrade",
                  "Upgrade: websocket",
                  "Sec-WebSocket-Version: 13",
                  "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
                  "",
                  "")
              .formatted(path(guest, "/")));
      wire.send(WebSocketEcho.masked("early"));
      Answer answer = wire.head();
      assertThat(answer.status()).isEqualTo(101);
      assertThat(answer.header("upgrade")).isEqualToIgnoringCase("websocket");
      assertThat(answer.header("connection")).isEqualToIgnoringCase("upgrade");
      assertThat(answer.header("sec-websocket-accept")).isEqualTo("s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
      assertThat(wire.read(7)).isEqualTo(WebSocketEcho.plain("early"));
      wire.send(WebSocketEcho.masked("late"));
      assertThat(wire.read(6)).isEqualTo(WebSocketEcho.plain("late"));
    }
    server.awaitNoneOpen();
  }

  @Test
  void aGuestThatWillNotUpgradeAnswersInHttp() throws Exception {
    try (GuestProgram guest =
            GuestProgram.saying("HTTP/1.1 426 No\r\nContent-Length: 2\r\n\r\nno");
        Wire wire = server.tcp()) {
      for (int i = 0; i < 2; i++) {
        wire.request("GET", path(guest, "/"), "", "Connection: Upgrade", "Upgrade: websocket");
        Answer answer = wire.answer();
        assertThat(answer.status()).isEqualTo(426);
        assertThat(answer.text()).isEqualTo("no");
      }
    }
  }

  @Test
  void aClientThatSuggestsHttp2GetsHttp1() throws Exception {
    LinkedBlockingQueue<String> heads = new LinkedBlockingQueue<>();
    try (GuestProgram guest =
            new GuestProgram(
                socket -> {
                  heads.add(GuestProgram.head(socket));
                  GuestProgram.reply(socket, "hi");
                });
        Wire wire = server.tcp()) {
      wire.request(
          "GET",
          path(guest, "/"),
          "",
          "Connection: Upgrade, HTTP2-Settings",
          "Upgrade: h2c",
          "HTTP2-Settings: AAEAAEAAAAIAAAABAAMAAABkAAQBAAAAAAUAAEAA");
      assertThat(wire.answer().text()).isEqualTo("hi");
      assertThat(heads.take()).doesNotContain("h2c", "HTTP2-Settings", "Upgrade");
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aTcpConnectionCarriesBytesBothWaysAndEachWayEndsByItself(boolean unix) throws Exception {
    byte[] all = new byte[5_000_000];
    new Random(7).nextBytes(all);
    try (GuestProgram guest =
            new GuestProgram(
                socket -> {
                  GuestProgram.send(socket, "welcome");
                  byte[] got = socket.getInputStream().readAllBytes();
                  socket.getOutputStream().write(got);
                });
        Wire wire = unix ? server.unix() : server.tcp()) {
      upgrade(wire, guest);
      assertThat(new String(wire.read(7), UTF_8)).isEqualTo("welcome");
      wire.send(all);
      // The guest echoes only when it hears the end of what it gets.
      wire.endOutput();
      assertThat(wire.read(all.length)).isEqualTo(all);
      assertThat(wire.closedByServer()).isTrue();
    }
    server.awaitNoneOpen();
  }

  @Test
  void aTunnelMayBeSilent() throws Exception {
    PortTimes hasty = new PortTimes(PortServer.PATIENT.connect(), PATIENCE, PATIENCE, PATIENCE);
    try (PortServer impatient = new PortServer(hasty, PATIENCE);
        GuestProgram guest = new GuestProgram(PortTunnelTest::echo);
        Wire wire = impatient.tcp()) {
      wire.send(
          "GET %s HTTP/1.1\r\nHost: localhost\r\n%s\r\n\r\n"
              .formatted(impatient.path(guest.port(), ""), UPGRADE));
      assertThat(wire.head().status()).isEqualTo(101);
      Thread.sleep(PATIENCE.plusSeconds(1));
      wire.send("still there");
      assertThat(new String(wire.read(11), UTF_8)).isEqualTo("still there");
    }
  }

  @Test
  void aGuestMayCloseItsWayFirst() throws Exception {
    LinkedBlockingQueue<String> got = new LinkedBlockingQueue<>();
    try (GuestProgram guest =
            new GuestProgram(
                socket -> {
                  GuestProgram.send(socket, "bye");
                  socket.shutdownOutput();
                  got.add(new String(socket.getInputStream().readAllBytes(), UTF_8));
                });
        Wire wire = server.tcp()) {
      upgrade(wire, guest);
      assertThat(new String(wire.read(100), UTF_8)).isEqualTo("bye");
      wire.send("and you");
      wire.endOutput();
      assertThat(got.take()).isEqualTo("and you");
    }
    server.awaitNoneOpen();
  }

  @Test
  void bytesSentBeforeTheUpgradeIsAnsweredAreNotLost() throws Exception {
    try (GuestProgram guest = new GuestProgram(PortTunnelTest::echo);
        Wire wire = server.unix()) {
      wire.send(
          "GET %s HTTP/1.1\r\nHost: localhost\r\n%s\r\n\r\nearly"
              .formatted(path(guest, ""), UPGRADE));
      assertThat(wire.head().status()).isEqualTo(101);
      assertThat(new String(wire.read(5), UTF_8)).isEqualTo("early");
    }
  }

  @Test
  void whereNothingListensNoTunnelIsMade() throws Exception {
    GuestProgram guest = new GuestProgram(PortTunnelTest::echo);
    guest.close();
    try (Wire wire = server.tcp()) {
      wire.request("GET", path(guest, ""), "", "Connection: Upgrade", "Upgrade: forkd-tcp");
      Answer answer = wire.answer();
      assertThat(answer.status()).isEqualTo(502);
      assertThat(answer.error()).contains("Nothing listens");
    }
  }

  @Test
  void manyTunnelsAreOpenAtOnceAndEndWithTheServer() throws Exception {
    CountDownLatch ended = new CountDownLatch(100);
    try (GuestProgram guest =
        new GuestProgram(
            socket -> {
              try {
                echo(socket);
              } finally {
                ended.countDown();
              }
            })) {
      List<Wire> wires = new ArrayList<>();
      for (int i = 0; i < 100; i++) {
        Wire wire = i % 2 == 0 ? server.tcp() : server.unix();
        wires.add(wire);
        upgrade(wire, guest);
      }
      for (int i = 0; i < 100; i++) {
        wires.get(i).send("tunnel %02d".formatted(i));
      }
      for (int i = 0; i < 100; i++) {
        assertThat(new String(wires.get(i).read(9), UTF_8)).isEqualTo("tunnel %02d".formatted(i));
      }
      server.stop();
      ended.await();
      for (Wire wire : wires) {
        assertThat(wire.closedByServer()).isTrue();
        wire.close();
      }
      server.awaitNoneOpen();
    }
  }

  @Test
  void aClientThatVanishesEndsTheGuestsConnection() throws Exception {
    CountDownLatch ended = new CountDownLatch(1);
    try (GuestProgram guest =
        new GuestProgram(
            socket -> {
              try {
                while (true) {
                  socket.getOutputStream().write(new byte[4096]);
                }
              } catch (IOException e) {
                ended.countDown();
              }
            })) {
      try (Wire wire = server.tcp()) {
        upgrade(wire, guest);
        assertThat(wire.read(10)).hasSize(10);
      }
      ended.await();
      server.awaitNoneOpen();
    }
  }

  private void upgrade(Wire wire, GuestProgram guest) throws IOException {
    wire.send(
        "GET %s HTTP/1.1\r\nHost: localhost\r\n%s\r\n\r\n".formatted(path(guest, ""), UPGRADE));
    Answer answer = wire.head();
    assertThat(answer.status()).isEqualTo(101);
    assertThat(answer.header("upgrade")).isEqualTo("forkd-tcp");
  }

  private String path(GuestProgram guest, String rest) {
    return server.path(guest.port(), rest);
  }

  private static void echo(Socket socket) throws IOException {
    InputStream in = socket.getInputStream();
    in.transferTo(socket.getOutputStream());
  }

  private record Listener(LinkedBlockingQueue<String> heard) implements WebSocket.Listener {
    @Override
    public CompletionStage<?> onText(WebSocket socket, CharSequence data, boolean last) {
      heard.add(data.toString());
      socket.request(1);
      return CompletableFuture.completedStage(null);
    }
  }
}
