package io.forkd.client;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.OptionalLong;

/**
 * The body of a request as its bytes come: with its length before it, or in chunks.
 *
 * @param size of all bytes, where it is known
 */
record UploadBody(OutputStream out, OptionalLong size) {
  private static final int PIECE = 64 << 10;

  String header() {
    return size.isPresent()
        ? "Content-Length: %d\r\n".formatted(size.getAsLong())
        : "Transfer-Encoding: chunked\r\n";
  }

  /**
   * Sends all bytes of a source.
   *
   * @param early the daemon's answer, after which it wants no more
   */
  void send(InputStream from, EarlyAnswer early) throws IOException {
    byte[] piece = new byte[PIECE];
    long sent = 0;
    for (int count = from.read(piece); count >= 0; count = from.read(piece)) {
      if (early.isThere() || !trySend(piece, count, early)) {
        return;
      }
      sent += count;
    }
    if (size.isPresent() && sent < size.getAsLong()) {
      throw new EOFException(
          "the source ended after %d of %d bytes".formatted(sent, size.getAsLong()));
    }
    if (size.isEmpty()) {
      trySend(piece, 0, early);
    }
  }

  /** A daemon that has answered hangs up, and its answer says more than a broken pipe does. */
  private boolean trySend(byte[] piece, int count, EarlyAnswer early) throws IOException {
    try {
      if (size.isPresent()) {
        out.write(piece, 0, count);
      } else {
        out.write("%x\r\n".formatted(count).getBytes(ISO_8859_1));
        out.write(piece, 0, count);
        out.write("\r\n".getBytes(ISO_8859_1));
      }
      out.flush();
      return true;
    } catch (IOException e) {
      if (early.comesAfterAll()) {
        return false;
      }
      throw e;
    }
  }
}
