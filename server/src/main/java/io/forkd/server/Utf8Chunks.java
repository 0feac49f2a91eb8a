package io.forkd.server;

import io.forkd.server.http.JsonObject;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;
import java.util.Optional;

/**
 * Turns bytes that come in pieces into lines with text. A character that is split between pieces is
 * kept until the rest of it comes; what is not UTF-8 is told in base64.
 */
final class Utf8Chunks {
  private final String type;
  private byte[] kept = new byte[0];

  Utf8Chunks(String type) {
    this.type = type;
  }

  /** The line for a piece, unless it only has the beginning of a character. */
  Optional<JsonObject> take(byte[] piece) {
    byte[] bytes = joined(piece);
    int whole = bytes.length - unfinished(bytes);
    kept = Arrays.copyOfRange(bytes, whole, bytes.length);
    return whole == 0 ? Optional.empty() : Optional.of(line(bytes, whole));
  }

  /** The line for what will never be a whole character. */
  Optional<JsonObject> end() {
    byte[] rest = kept;
    kept = new byte[0];
    return rest.length == 0 ? Optional.empty() : Optional.of(line(rest, rest.length));
  }

  private byte[] joined(byte[] piece) {
    if (kept.length == 0) {
      return piece;
    }
    byte[] all = Arrays.copyOf(kept, kept.length + piece.length);
    System.arraycopy(piece, 0, all, kept.length, piece.length);
    return all;
  }

  private JsonObject line(byte[] bytes, int length) {
    JsonObject line = LineStream.line(type);
    try {
      return line.with(
          "text",
          StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes, 0, length)).toString());
    } catch (CharacterCodingException e) {
      byte[] exact = Arrays.copyOf(bytes, length);
      return line.with("base64", Base64.getEncoder().encodeToString(exact));
    }
  }

  /** How many bytes at the end begin a character whose rest may still come. */
  private static int unfinished(byte[] bytes) {
    for (int back = 1; back <= Math.min(3, bytes.length); back++) {
      int value = bytes[bytes.length - back] & 0xff;
      if ((value & 0xc0) != 0x80) {
        int needed = value >= 0xf0 ? 4 : value >= 0xe0 ? 3 : value >= 0xc0 ? 2 : 1;
        return needed > back && value <= 0xf4 ? back : 0;
      }
    }
    return 0;
  }
}
