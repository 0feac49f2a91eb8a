package io.forkd.server;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.forkd.server.http.Exchange;
import io.forkd.server.http.HttpConfig;
import io.forkd.server.http.HttpProblem;
import io.forkd.server.http.HttpServer;
import io.forkd.server.http.Json;
import io.forkd.server.http.WebSocket;
import io.forkd.server.http.WebSocketListener;
import io.forkd.server.http.WebSocketMessage;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The WebSocket protocol by the byte. */
@Timeout(60)
class WebSocketTest {
  private static final String KEY = "dGhlIHNhbXBsZSBub25jZQ==";

  @TempDir Path folder;

  private HttpServer server;

  @BeforeEach
  void start() {
    server =
        HttpServer.start(
            new HttpConfig(
                folder.resolve("s"),
                Optional.of(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0)),
                Duration.ofSeconds(30),
                Duration.ofSeconds(5)),
            WebSocketTest::handle);
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private static void handle(Exchange exchange) throws IOException {
    try {
      WebSocket.open(exchange, new Echo());
    } catch (HttpProblem e) {
      e.headers().forEach(exchange::setHeader);
      exchange.respond(e.status(), Json.error(String.valueOf(e.getMessage())));
    }
  }

  /** Says everything back; a text in an object. */
  private static final class Echo implements WebSocketListener {
    @Override
    public void serve(WebSocket socket) throws IOException {
      while (true) {
        switch (socket.receive()) {
          case WebSocketMessage.Text(String text) ->
              socket.sendText(Json.object().with("heard", text));
          case WebSocketMessage.Binary(byte[] bytes) -> socket.sendBinary(bytes);
          case WebSocketMessage.Goodbye _ -> {
            return;
          }
        }
      }
    }

    @Override
    public void abandon() {}
  }

  private Wire open() throws IOException {
    Wire wire = Wire.tcp(server.port().orElseThrow());
    wire.request("GET", "/", "", upgrade(KEY));
    Answer head = wire.head();
    assertThat(head.status()).isEqualTo(101);
    // The RFC's own example.
    assertThat(head.header("sec-websocket-accept")).isEqualTo("s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
    return wire;
  }

  private static String[] upgrade(String key) {
    return new String[] {
      "Connection: keep-alive, Upgrade",
      "Upgrade: WebSocket",
      "Sec-WebSocket-Version: 13",
      "Sec-WebSocket-Key: " + key
    };
  }

  private static byte[] frame(int first, byte[] payload) {
    ByteBuffer frame = ByteBuffer.allocate(14 + payload.length).put((byte) first);
    if (payload.length < 126) {
      frame.put((byte) (0x80 | payload.length));
    } else if (payload.length < 1 << 16) {
      frame.put((byte) 0xfe).putShort((short) payload.length);
    } else {
      frame.put((byte) 0xff).putLong(payload.length);
    }
    byte[] mask = {17, (byte) 200, 3, 99};
    frame.put(mask);
    for (int i = 0; i < payload.length; i++) {
      frame.put((byte) (payload[i] ^ mask[i % 4]));
    }
    return Arrays.copyOf(frame.array(), frame.position());
  }

  private static byte[] frame(int first, String payload) {
    return frame(first, payload.getBytes(UTF_8));
  }

  private record Heard(int first, byte[] payload) {
    String text() {
      return new String(payload, UTF_8);
    }

    int code() {
      return ByteBuffer.wrap(payload).getShort() & 0xffff;
    }
  }

  private static Heard hear(Wire wire) throws IOException {
    byte[] head = wire.read(2);
    int length = head[1] & 0xff;
    if (length == 126) {
      length = ByteBuffer.wrap(wire.read(2)).getShort() & 0xffff;
    } else if (length == 127) {
      length = (int) ByteBuffer.wrap(wire.read(8)).getLong();
    }
    return new Heard(head[0] & 0xff, wire.read(length));
  }

  @Test
  void textsAndBytesComeBack() throws IOException {
    try (Wire wire = open()) {
      wire.send(frame(0x81, "grüße"));
      Heard text = hear(wire);
      assertThat(text.first()).isEqualTo(0x81);
      assertThat(text.text()).isEqualTo("{\"heard\":\"grüße\"}");
      for (int length : new int[] {0, 1, 125, 126, 65_535, 65_536, WebSocket.LONGEST_MESSAGE}) {
        byte[] bytes = new byte[length];
        Arrays.fill(bytes, (byte) 7);
        wire.send(frame(0x82, bytes));
        Heard heard = hear(wire);
        assertThat(heard.first()).isEqualTo(0x82);
        assertThat(heard.payload()).isEqualTo(bytes);
      }
    }
  }

  @Test
  void partsMakeAMessageAndPingsMayComeBetween() throws IOException {
    try (Wire wire = open()) {
      byte[] euro = "€".getBytes(UTF_8);
      wire.send(frame(0x01, Arrays.copyOf(euro, 1)));
      wire.send(frame(0x89, "are you there"));
      wire.send(frame(0x8a, "a pong that nobody asked for"));
      wire.send(frame(0x00, ""));
      wire.send(frame(0x80, Arrays.copyOfRange(euro, 1, 3)));
      Heard pong = hear(wire);
      assertThat(pong.first()).isEqualTo(0x8a);
      assertThat(pong.text()).isEqualTo("are you there");
      assertThat(hear(wire).text()).isEqualTo("{\"heard\":\"€\"}");
    }
  }

  @Test
  void aGoodbyeIsAnsweredAndEndsTheConnection() throws IOException {
    try (Wire wire = open()) {
      wire.send(frame(0x88, new byte[] {0x0f, (byte) 0xa1}));
      Heard close = hear(wire);
      assertThat(close.first()).isEqualTo(0x88);
      assertThat(close.code()).isEqualTo(4001);
      assertThat(wire.closedByServer()).isTrue();
    }
    try (Wire wire = open()) {
      wire.send(frame(0x88, ""));
      assertThat(hear(wire).code()).isEqualTo(1000);
      assertThat(wire.closedByServer()).isTrue();
    }
  }

  @ParameterizedTest
  @CsvSource({
    "1002, 81 00",
    "1002, c1 80 00000000",
    "1002, 83 80 00000000",
    "1002, 8b 80 00000000",
    "1002, 80 80 00000000",
    "1002, 09 80 00000000",
    "1002, 89 fe 007e",
    "1002, 82 fe 0001",
    "1002, 82 ff 0000000000000001",
    "1002, 82 ff ffffffffffffffff",
    "1002, 88 81 00000000 01",
    "1002, 88 82 00000000 03ed",
    "1002, 88 82 00000000 0001",
    "1007, 88 83 00000000 03e8ff",
    "1007, 81 82 00000000 c3c3",
    "1007, 81 83 00000000 eda080",
    "1009, 82 ff 0000000000100001",
    "1009, 82 ff 7fffffffffffffff",
    "1002, 01 80 00000000 81 80 00000000"
  })
  void aBreachOfTheProtocolIsNamedAndEndsTheConnection(int code, String hex) throws IOException {
    try (Wire wire = open()) {
      wire.send(java.util.HexFormat.of().parseHex(hex.replace(" ", "")));
      Heard close = hear(wire);
      assertThat(close.first()).isEqualTo(0x88);
      assertThat(close.code()).isEqualTo(code);
      assertThat(wire.closedByServer()).isTrue();
    }
  }

  @Test
  void aMessageTooLongInPartsIsRefused() throws IOException {
    ByteArrayOutputStream parts = new ByteArrayOutputStream();
    parts.writeBytes(frame(0x02, new byte[WebSocket.LONGEST_MESSAGE]));
    parts.writeBytes(frame(0x80, new byte[1]));
    try (Wire wire = open()) {
      wire.send(parts.toByteArray());
      assertThat(hear(wire).code()).isEqualTo(1009);
    }
  }

  @Test
  void whatIsSentRightBehindTheRequestIsHeard() throws IOException {
    try (Wire wire = Wire.tcp(server.port().orElseThrow())) {
      ByteArrayOutputStream all = new ByteArrayOutputStream();
      all.writeBytes(
          ("GET / HTTP/1.1\r\nHost: x\r\n" + String.join("\r\n", upgrade(KEY)) + "\r\n\r\n")
              .getBytes(UTF_8));
      all.writeBytes(frame(0x81, "early"));
      wire.send(all.toByteArray());
      assertThat(wire.head().status()).isEqualTo(101);
      assertThat(hear(wire).text()).isEqualTo("{\"heard\":\"early\"}");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "x", "AAAA", "dGhlIHNhbXBsZSBub25jZQ==AAAA"})
  void aKeyMustHaveSixteenBytes(String key) throws IOException {
    try (Wire wire = Wire.tcp(server.port().orElseThrow())) {
      wire.request("GET", "/", "", upgrade(key));
      assertThat(wire.answer().status()).isEqualTo(400);
    }
  }

  @Test
  void whoDoesNotAskForAWebSocketIsToldTo() throws IOException {
    try (Wire wire = Wire.tcp(server.port().orElseThrow())) {
      wire.request("GET", "/", "");
      Answer answer = wire.answer();
      assertThat(answer.status()).isEqualTo(426);
      assertThat(answer.header("upgrade")).isEqualTo("websocket");
    }
    try (Wire wire = Wire.tcp(server.port().orElseThrow())) {
      String[] headers = upgrade(KEY);
      headers[2] = "Sec-WebSocket-Version: 8";
      wire.request("GET", "/", "", headers);
      Answer answer = wire.answer();
      assertThat(answer.status()).isEqualTo(426);
      assertThat(answer.header("sec-websocket-version")).isEqualTo("13");
    }
    try (Wire wire = Wire.tcp(server.port().orElseThrow())) {
      wire.request("POST", "/", "body", upgrade(KEY));
      assertThat(wire.answer().status()).isEqualTo(426);
    }
  }

  @Test
  void theServersStopEndsThem() throws IOException {
    try (Wire wire = open()) {
      server.close();
      assertThatThrownBy(() -> requireByte(wire)).isInstanceOf(IOException.class);
    }
  }

  private static void requireByte(Wire wire) throws IOException {
    if (wire.read(new byte[1]) < 0) {
      throw new IOException("closed");
    }
  }
}
