package io.forkd.server.http;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;

/** How a request becomes a WebSocket: RFC 6455, section 4. */
final class WebSocketHandshake {
  private static final String VERSION = "13";
  private static final int KEY_BYTES = 16;

  /** The RFC's own constant: a server that knows it speaks the protocol. */
  private static final String SUFFIX = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";

  private WebSocketHandshake() {}

  /** The headers of the answer to a request that asks for a WebSocket as it must. */
  static List<Header> answer(Exchange exchange) {
    RawExchange raw = exchange.raw();
    if (!exchange.method().equals("GET")
        || !raw.isHttp11()
        || raw.bodyLength().orElse(1) != 0
        || !names(exchange, "Connection", "upgrade")
        || !names(exchange, "Upgrade", "websocket")) {
      throw new HttpProblem(
          426,
          "This is a WebSocket: send GET with 'Connection: Upgrade' and 'Upgrade: websocket'.",
          Map.of("Upgrade", "websocket", "Connection", "Upgrade"));
    }
    if (!exchange.headers("Sec-WebSocket-Version").equals(List.of(VERSION))) {
      throw new HttpProblem(
          426,
          "Only version %s of WebSocket is spoken here.".formatted(VERSION),
          Map.of("Sec-WebSocket-Version", VERSION));
    }
    return List.of(
        new Header("Connection", "Upgrade"),
        new Header("Upgrade", "websocket"),
        new Header("Sec-WebSocket-Accept", accept(key(exchange))));
  }

  private static String key(Exchange exchange) {
    List<String> keys = exchange.headers("Sec-WebSocket-Key");
    if (keys.size() != 1 || !isKey(keys.getFirst())) {
      throw new HttpProblem(400, "Sec-WebSocket-Key must be sent once, with 16 bytes in base64.");
    }
    return keys.getFirst();
  }

  private static boolean isKey(String text) {
    try {
      return Base64.getDecoder().decode(text).length == KEY_BYTES;
    } catch (IllegalArgumentException e) {
      return false;
    }
  }

  static String accept(String key) {
    try {
      byte[] text = (key + SUFFIX).getBytes(StandardCharsets.US_ASCII);
      return Base64.getEncoder().encodeToString(MessageDigest.getInstance("SHA-1").digest(text));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-1", e);
    }
  }

  private static boolean names(Exchange exchange, String header, String token) {
    return exchange.headers(header).stream()
        .flatMap(value -> Arrays.stream(value.split(",", -1)))
        .anyMatch(value -> value.strip().equalsIgnoreCase(token));
  }
}
