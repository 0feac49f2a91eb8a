package io.forkd.server.http;

/** What a client says over a WebSocket. */
public sealed interface WebSocketMessage {
  /** Words. */
  record Text(String text) implements WebSocketMessage {}

  /** Bytes. */
  record Binary(byte[] bytes) implements WebSocketMessage {}

  /** Its goodbye, after which it says no more. */
  record Goodbye(int code) implements WebSocketMessage {}
}
