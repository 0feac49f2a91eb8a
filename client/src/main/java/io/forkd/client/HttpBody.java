package io.forkd.client;

import io.forkd.base.ChunkInput;
import java.io.EOFException;
import java.io.IOException;
import java.util.Map;

/** The body of an HTTP/1.1 answer: of known length, in chunks, or until the connection ends. */
final class HttpBody extends ChunkInput {
  private static final int LONGEST_LINE = 8 << 10;
  private static final int MOST_TRAILERS = 64;

  private enum Framing {
    LENGTH,
    CHUNKED,
    UNTIL_CLOSE
  }

  private final ByteSource source;
  private final Framing framing;
  private long remaining;
  private boolean firstChunk = true;
  private boolean ended;

  HttpBody(ByteSource source, HttpHead head) throws IOException {
    this.source = source;
    int status = head.status();
    Map<String, String> headers = head.headers();
    if (status == 204 || status == 304) {
      framing = Framing.LENGTH;
    } else if (headers.getOrDefault("transfer-encoding", "").equalsIgnoreCase("chunked")) {
      framing = Framing.CHUNKED;
    } else if (headers.containsKey("content-length")) {
      framing = Framing.LENGTH;
      remaining = number(headers.getOrDefault("content-length", ""), 10);
    } else {
      framing = Framing.UNTIL_CLOSE;
      remaining = Long.MAX_VALUE;
    }
    ended = framing == Framing.LENGTH && remaining == 0;
  }

  /** Whether the body was read to its end and the connection can carry another request. */
  boolean leavesConnectionOpen() {
    return ended && framing != Framing.UNTIL_CLOSE;
  }

  @Override
  public int read(byte[] target, int offset, int length) throws IOException {
    if (length == 0) {
      return 0;
    }
    if (!ended && framing == Framing.CHUNKED && remaining == 0) {
      nextChunk();
    }
    if (ended) {
      return -1;
    }
    int count = source.read(target, offset, (int) Math.min(length, remaining));
    if (count < 0) {
      if (framing != Framing.UNTIL_CLOSE) {
        throw new EOFException("the daemon closed the connection in the middle of an answer");
      }
      ended = true;
      return -1;
    }
    if (framing != Framing.UNTIL_CLOSE) {
      remaining -= count;
      ended = framing == Framing.LENGTH && remaining == 0;
    }
    return count;
  }

  private void nextChunk() throws IOException {
    if (!firstChunk && !source.readLine(LONGEST_LINE).isEmpty()) {
      throw new IOException("a chunk does not end where it said it would");
    }
    firstChunk = false;
    String size = source.readLine(LONGEST_LINE);
    int extension = size.indexOf(';');
    remaining = number(extension < 0 ? size : size.substring(0, extension), 16);
    if (remaining == 0) {
      skipTrailers();
      ended = true;
    }
  }

  private void skipTrailers() throws IOException {
    for (int i = 0; i < MOST_TRAILERS; i++) {
      if (source.readLine(LONGEST_LINE).isEmpty()) {
        return;
      }
    }
    throw new IOException("more than " + MOST_TRAILERS + " trailers");
  }

  private static long number(String text, int radix) throws IOException {
    try {
      long number = Long.parseLong(text.strip(), radix);
      if (number >= 0) {
        return number;
      }
    } catch (NumberFormatException e) {
      throw new IOException("'" + text + "' is no length", e);
    }
    throw new IOException("'" + text + "' is no length");
  }
}
