package io.forkd.client;

import java.io.IOException;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;

/**
 * How an HTTP/1.1 answer begins.
 *
 * @param headers names in lower case
 */
record HttpHead(int status, Map<String, String> headers) {
  static final int LONGEST_LINE = 256 << 10;
  private static final int MOST_HEADERS = 100;

  /** Reads the head of the answer, past those that only say that it will come. */
  static HttpHead read(ByteSource source) throws IOException {
    HttpHead head = read(source.readLine(LONGEST_LINE), source);
    while (head.status / 100 == 1 && head.status != 101) {
      head = read(source.readLine(LONGEST_LINE), source);
    }
    return head;
  }

  /** Reads what follows the first line. */
  static HttpHead read(String firstLine, ByteSource source) throws IOException {
    if (!firstLine.matches("HTTP/1\\.[01] [1-9][0-9]{2}( .*)?")) {
      throw new IOException("the answer is not HTTP");
    }
    return new HttpHead(Integer.parseInt(firstLine.substring(9, 12)), headers(source));
  }

  private static Map<String, String> headers(ByteSource source) throws IOException {
    Map<String, String> headers = new HashMap<>();
    for (int i = 0; i < MOST_HEADERS; i++) {
      String line = source.readLine(LONGEST_LINE);
      if (line.isEmpty()) {
        return headers;
      }
      int colon = line.indexOf(':');
      if (colon < 1) {
        throw new IOException("a header has no name");
      }
      headers.put(
          line.substring(0, colon).toLowerCase(Locale.ROOT), line.substring(colon + 1).strip());
    }
    throw new IOException("more than " + MOST_HEADERS + " headers");
  }

  boolean succeeded() {
    return status / 100 == 2;
  }
}
