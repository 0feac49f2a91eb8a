package io.forkd.server.http;

import io.forkd.base.Duplex;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/**
 * The server's end of a WebSocket without extensions. One thread receives; any thread may send and
 * waits until the client takes it.
 */
public final class WebSocket {
  /** The longest message a client may send. */
  public static final int LONGEST_MESSAGE = 1 << 20;

  public static final int NORMAL = 1000;
  public static final int FAILED = 1011;

  private static final int LONGEST_REASON = 123;
  private static final int NO_CODE = 1005;

  private final Duplex connection;
  private final DataInputStream in;
  private final Object writing = new Object();
  private final ByteArrayOutputStream parts = new ByteArrayOutputStream();
  private int partsOpcode = WebSocketFrame.CONTINUATION;
  private boolean closeSent;

  private WebSocket(Duplex connection) {
    this.connection = connection;
    this.in = new DataInputStream(new BufferedInputStream(connection.input()));
  }

  /** Refuses a request that does not ask for a WebSocket as it must. */
  public static void require(Exchange exchange) {
    WebSocketHandshake.answer(exchange);
  }

  /** Answers a request with a WebSocket that the listener serves. */
  public static void open(Exchange exchange, WebSocketListener listener) throws IOException {
    exchange
        .raw()
        .upgrade(
            WebSocketHandshake.answer(exchange),
            new TunnelHandler() {
              @Override
              public void serve(Duplex client) throws IOException {
                listener.serve(new WebSocket(client));
              }

              @Override
              public void abandon() {
                listener.abandon();
              }
            });
  }

  /**
   * The next message, once all its parts are there; pings are answered meanwhile. An {@link
   * IOException} means that the client is gone or broke the protocol, which it was then told.
   */
  public WebSocketMessage receive() throws IOException {
    try {
      while (true) {
        WebSocketFrame frame = WebSocketFrame.read(in, LONGEST_MESSAGE - parts.size());
        Optional<WebSocketMessage> message = frame.isControl() ? control(frame) : part(frame);
        if (message.isPresent()) {
          return message.get();
        }
      }
    } catch (WebSocketException e) {
      close(e.code(), String.valueOf(e.getMessage()));
      throw e;
    }
  }

  private Optional<WebSocketMessage> control(WebSocketFrame frame) throws IOException {
    switch (frame.opcode()) {
      case WebSocketFrame.PING -> send(WebSocketFrame.PONG, frame.payload());
      case WebSocketFrame.CLOSE -> {
        int code = code(frame.payload());
        close(code == NO_CODE ? NORMAL : code, "");
        return Optional.of(new WebSocketMessage.Goodbye(code));
      }
      default -> {
        // A pong: whoever asked only wanted to know that the client is there.
      }
    }
    return Optional.empty();
  }

  private static int code(byte[] payload) throws IOException {
    if (payload.length == 0) {
      return NO_CODE;
    }
    if (payload.length == 1) {
      throw new WebSocketException(1002, "a close code has two bytes");
    }
    int code = ByteBuffer.wrap(payload).getShort() & 0xffff;
    boolean known = code >= 1000 && code <= 1014 && code != 1004 && code != 1005 && code != 1006;
    if (!known && (code < 3000 || code > 4999)) {
      throw new WebSocketException(1002, "there is no close code " + code);
    }
    text(ByteBuffer.wrap(payload, 2, payload.length - 2));
    return code;
  }

  private Optional<WebSocketMessage> part(WebSocketFrame frame) throws IOException {
    boolean first = partsOpcode == WebSocketFrame.CONTINUATION;
    if (first == (frame.opcode() == WebSocketFrame.CONTINUATION)) {
      throw new WebSocketException(1002, "the parts of a message are out of order");
    }
    if (first) {
      partsOpcode = frame.opcode();
    }
    parts.writeBytes(frame.payload());
    if (!frame.last()) {
      return Optional.empty();
    }
    byte[] whole = parts.toByteArray();
    boolean text = partsOpcode == WebSocketFrame.TEXT;
    parts.reset();
    partsOpcode = WebSocketFrame.CONTINUATION;
    return Optional.of(
        text
            ? new WebSocketMessage.Text(text(ByteBuffer.wrap(whole)))
            : new WebSocketMessage.Binary(whole));
  }

  private static String text(ByteBuffer bytes) throws IOException {
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(bytes).toString();
    } catch (CharacterCodingException e) {
      throw new WebSocketException(1007, "a text is not UTF-8");
    }
  }

  public void sendText(JsonObject message) throws IOException {
    send(WebSocketFrame.TEXT, Json.bytes(message));
  }

  public void sendBinary(byte[] bytes) throws IOException {
    send(WebSocketFrame.BINARY, bytes);
  }

  /** Makes a client that is gone show it. */
  public void ping() throws IOException {
    send(WebSocketFrame.PING, new byte[0]);
  }

  /** Says goodbye; the client may still be heard, until it says so too. */
  public void close(int code, String reason) throws IOException {
    byte[] words = reason.getBytes(StandardCharsets.UTF_8);
    int length = Math.min(words.length, LONGEST_REASON);
    // Not in the middle of a character, which would not be UTF-8.
    while (length < words.length && length > 0 && (words[length] & 0xc0) == 0x80) {
      length--;
    }
    byte[] payload =
        ByteBuffer.allocate(2 + length).putShort((short) code).put(words, 0, length).array();
    synchronized (writing) {
      send(WebSocketFrame.CLOSE, payload);
      closeSent = true;
    }
  }

  /** Ends the connection, also for threads that wait in it. */
  public void end() {
    connection.close();
  }

  private void send(int opcode, byte[] payload) throws IOException {
    ByteBuffer frame = ByteBuffer.allocate(10 + payload.length).put((byte) (0x80 | opcode));
    if (payload.length < 126) {
      frame.put((byte) payload.length);
    } else if (payload.length < 1 << 16) {
      frame.put((byte) 126).putShort((short) payload.length);
    } else {
      frame.put((byte) 127).putLong(payload.length);
    }
    frame.put(payload);
    synchronized (writing) {
      if (!closeSent) {
        connection.output().write(frame.array(), 0, frame.position());
      }
    }
  }
}
