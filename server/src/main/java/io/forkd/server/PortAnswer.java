package io.forkd.server;

import io.forkd.server.http.Header;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The head of what a guest answers. Guests are not trusted: what is not plainly well-formed is
 * refused rather than repaired, for others might repair it differently.
 *
 * @param length of the body, where it is announced
 */
record PortAnswer(int status, List<Header> headers, boolean chunked, OptionalLong length) {
  /** The most a head may weigh; less than Jetty takes for an answer. */
  static final int LARGEST_HEAD = 32 << 10;

  private static final int MOST_HEADERS = 200;

  /** Reads a head and nothing beyond it. */
  static PortAnswer read(InputStream in) throws IOException {
    Lines lines = new Lines(in);
    String first = lines.next();
    if (!first.matches("HTTP/1\\.[01] [1-5][0-9]{2}( .*)?")) {
      throw new BadAnswerException("its first line is no status line");
    }
    List<Header> headers = new ArrayList<>();
    for (String line = lines.next(); !line.isEmpty(); line = lines.next()) {
      if (headers.size() == MOST_HEADERS) {
        throw new BadAnswerException("it has more than %d headers".formatted(MOST_HEADERS));
      }
      headers.add(parsed(line));
    }
    boolean chunked = chunked(headers, first.startsWith("HTTP/1.1"));
    OptionalLong length = length(headers);
    if (chunked && length.isPresent()) {
      throw new BadAnswerException("it has both a Content-Length and a Transfer-Encoding");
    }
    return new PortAnswer(
        Integer.parseInt(first.substring(9, 12)), List.copyOf(headers), chunked, length);
  }

  Optional<String> header(String key) {
    return headers.stream().filter(h -> h.key().equals(key)).map(Header::value).findFirst();
  }

  private static Header parsed(String line) throws IOException {
    int colon = line.indexOf(':');
    String name = colon < 0 ? "" : line.substring(0, colon);
    String value = HttpSyntax.trimmed(line.substring(colon + 1));
    if (!HttpSyntax.isToken(name) || !HttpSyntax.isValue(value)) {
      throw new BadAnswerException("one of its headers is malformed");
    }
    return new Header(name, value);
  }

  private static boolean chunked(List<Header> headers, boolean http11) throws IOException {
    List<String> encodings =
        headers.stream()
            .filter(header -> header.key().equals("transfer-encoding"))
            .map(Header::value)
            .toList();
    if (encodings.isEmpty()) {
      return false;
    }
    if (!http11 || encodings.size() > 1 || !encodings.getFirst().equalsIgnoreCase("chunked")) {
      throw new BadAnswerException("its Transfer-Encoding is not chunked");
    }
    return true;
  }

  private static OptionalLong length(List<Header> headers) throws IOException {
    List<String> lengths =
        headers.stream()
            .filter(header -> header.key().equals("content-length"))
            .map(Header::value)
            .distinct()
            .toList();
    if (lengths.isEmpty()) {
      return OptionalLong.empty();
    }
    if (lengths.size() > 1 || !lengths.getFirst().matches("[0-9]{1,18}")) {
      throw new BadAnswerException("its Content-Length is not a number");
    }
    return OptionalLong.of(Long.parseLong(lengths.getFirst()));
  }

  /** Splits a head of bounded size. */
  private static final class Lines {
    private final InputStream in;
    private int left = LARGEST_HEAD;

    Lines(InputStream in) {
      this.in = in;
    }

    String next() throws IOException {
      ByteArrayOutputStream line = new ByteArrayOutputStream(80);
      for (int next = in.read(); next != '\n'; next = in.read()) {
        if (next < 0) {
          throw new EOFException("it ended in the middle of its head");
        }
        if (--left < 0) {
          throw new BadAnswerException("its head is larger than %d bytes".formatted(LARGEST_HEAD));
        }
        line.write(next);
      }
      String text = line.toString(StandardCharsets.ISO_8859_1);
      return text.endsWith("\r") ? text.substring(0, text.length() - 1) : text;
    }
  }
}
