package io.forkd.server;

import io.forkd.base.ErrorCode;
import io.forkd.base.ForkdException;
import io.forkd.guest.FileContent;
import io.forkd.server.http.Exchange;
import io.forkd.server.http.Header;
import io.forkd.server.http.RawExchange;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.Optional;

/** Bytes of any length from a guest to a client, at the pace of the slower of both. */
final class FileStreams {
  static final String BYTES = "application/octet-stream";
  static final String TAR = "application/x-tar";

  private static final int BUFFER = 64 << 10;

  private FileStreams() {}

  static Operation.Answer answer(String contentType, String about) {
    return new Operation.Answer(contentType, Optional.empty(), about);
  }

  /** Answers with a file's bytes; a failure on the way breaks the connection off. */
  static void send(Exchange exchange, FileContent content, String contentType) throws IOException {
    RawExchange raw = exchange.raw();
    raw.begin(
        200,
        List.of(
            new Header("Content-Type", contentType),
            new Header("Cache-Control", "no-store"),
            new Header("X-Content-Type-Options", "nosniff")),
        content.length());
    if (!exchange.method().equals("HEAD")) {
      InputStream in = content.stream();
      byte[] buffer = new byte[BUFFER];
      for (int count = read(in, buffer); count >= 0; count = read(in, buffer)) {
        raw.write(buffer, 0, count);
      }
    }
    raw.end();
  }

  /** Tells a guest that fails from a client that is gone. */
  private static int read(InputStream in, byte[] buffer) {
    try {
      return in.read(buffer);
    } catch (IOException e) {
      throw new ForkdException(
          ErrorCode.GUEST_FAILED, "The file broke off: %s".formatted(e.getMessage()), e);
    }
  }
}
