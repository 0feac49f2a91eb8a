package io.forkd.server.http;

import java.io.IOException;

/** A client's breach of the WebSocket protocol, with the code the connection is closed with. */
final class WebSocketException extends IOException {
  private static final long serialVersionUID = 1;

  private final int code;

  WebSocketException(int code, String message) {
    super(message);
    this.code = code;
  }

  int code() {
    return code;
  }
}
