package io.forkd.server.e2b;

import io.forkd.base.ForkdException;
import io.forkd.server.http.Exchange;
import io.forkd.server.http.Json;
import io.forkd.server.http.JsonObject;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.Optional;

/** The frames of the Connect protocol's streams: a byte of flags, a length, JSON. */
final class Frames {
  static final String STREAM_TYPE = "application/connect+json";
  private static final byte LAST = 2;
  private static final byte COMPRESSED = 1;
  private static final int HEAD = 5;

  /** The largest message that is taken. */
  static final int LARGEST = 4 << 20;

  private Frames() {}

  /** The next message; empty at the end. */
  static Optional<Body> read(InputStream in) throws IOException {
    DataInputStream data = new DataInputStream(in);
    int flags = data.read();
    if (flags < 0 || (flags & LAST) != 0) {
      return Optional.empty();
    }
    try {
      int length = data.readInt();
      if ((flags & COMPRESSED) != 0) {
        throw new RpcFailure(
            RpcCode.UNIMPLEMENTED, "Compressed messages are not taken: send them plain.");
      }
      if (length < 0 || length > LARGEST) {
        throw new RpcFailure(
            RpcCode.RESOURCE_EXHAUSTED,
            "A message has %d bytes: send at most %d."
                .formatted(Integer.toUnsignedLong(length), LARGEST));
      }
      byte[] message = data.readNBytes(length);
      if (message.length < length) {
        throw new EOFException();
      }
      return Optional.of(Body.read(message));
    } catch (EOFException e) {
      throw ForkdException.badRequest("A message of the stream ends too early.");
    }
  }

  static byte[] message(JsonObject json) {
    return frame((byte) 0, json);
  }

  static byte[] end() {
    return frame(LAST, Json.object());
  }

  static byte[] end(RpcCode code, String message) {
    return frame(LAST, Json.object().with("error", error(code, message)));
  }

  static JsonObject error(RpcCode code, String message) {
    return Json.object().with("code", code.text()).with("message", message);
  }

  private static byte[] frame(byte flags, JsonObject json) {
    byte[] payload = Json.bytes(json);
    return ByteBuffer.allocate(HEAD + payload.length)
        .put(flags)
        .putInt(payload.length)
        .put(payload)
        .array();
  }

  /** What a server stream is written to, message by message. */
  static final class Sink {
    private final Exchange exchange;

    Sink(Exchange exchange) {
      this.exchange = exchange;
    }

    /** Sends one message now; an {@link IOException} means that the client is gone. */
    void send(JsonObject message) throws IOException {
      if (!exchange.committed()) {
        exchange.beginStream(200, STREAM_TYPE);
      }
      exchange.stream(message(message));
    }
  }
}
