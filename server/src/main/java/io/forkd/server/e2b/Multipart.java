package io.forkd.server.e2b;

import io.forkd.base.ChunkInput;
import io.forkd.base.ForkdException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads a multipart/form-data body part by part, holding no more of it than one buffer. */
final class Multipart {
  private static final int BUFFER = 64 << 10;
  private static final int LONGEST_LINE = 16 << 10;
  private static final int MOST_LINES = 32;
  private static final int MOST_PARTS = 10_000;
  private static final Pattern BOUNDARY =
      Pattern.compile(
          "(?i)multipart/form-data\\s*;.*?boundary=(?:\"([^\"]{1,200})\"|([^\\s;]{1,200})).*");
  private static final Pattern PARAMETER =
      Pattern.compile("(?:^|;)\\s*(name|filename)=(?:\"((?:[^\"\\\\]|\\\\.)*)\"|([^;\\s]*))");

  private final InputStream in;
  private final byte[] delimiter;
  private final byte[] buffer = new byte[BUFFER];
  private int from;
  private int to;
  private int parts;
  private boolean finished;

  /**
   * One part.
   *
   * @param content ends where the part does; what is left of it is skipped by the next one
   */
  record Part(String name, Optional<String> fileName, InputStream content) {}

  private Multipart(InputStream in, String boundary) {
    this.in = in;
    this.delimiter = ("\r\n--" + boundary).getBytes(StandardCharsets.ISO_8859_1);
    // The first boundary has no line before it, so one is put there.
    buffer[0] = '\r';
    buffer[1] = '\n';
    to = 2;
  }

  /** Empty when the content is of another type. */
  static Optional<Multipart> of(String contentType, InputStream in) {
    Matcher matcher = BOUNDARY.matcher(contentType);
    if (!matcher.matches()) {
      return Optional.empty();
    }
    String boundary = matcher.group(1) != null ? matcher.group(1) : matcher.group(2);
    return Optional.of(new Multipart(in, boundary));
  }

  /** The next part; empty after the last. */
  Optional<Part> next() throws IOException {
    if (finished) {
      return Optional.empty();
    }
    skipContent();
    from += delimiter.length;
    String line = line();
    if (line.startsWith("--")) {
      finished = true;
      return Optional.empty();
    }
    if (!line.isBlank() || ++parts > MOST_PARTS) {
      throw malformed("a boundary is followed by something else, or there are too many parts");
    }
    Map<String, String> parameters = disposition();
    String name = parameters.getOrDefault("name", "");
    return Optional.of(
        new Part(name, Optional.ofNullable(parameters.get("filename")), new Content()));
  }

  private void skipContent() throws IOException {
    for (int count = ready(); count > 0; count = ready()) {
      from += count;
    }
  }

  private Map<String, String> disposition() throws IOException {
    Map<String, String> parameters = new HashMap<>();
    for (int lines = 0; lines < MOST_LINES; lines++) {
      String line = line();
      if (line.isEmpty()) {
        return parameters;
      }
      int colon = line.indexOf(':');
      if (colon > 0
          && line.substring(0, colon)
              .strip()
              .toLowerCase(Locale.ROOT)
              .equals("content-disposition")) {
        Matcher matcher = PARAMETER.matcher(line.substring(colon + 1));
        while (matcher.find()) {
          String quoted = matcher.group(2);
          parameters.putIfAbsent(
              matcher.group(1), quoted != null ? unescaped(quoted) : matcher.group(3));
        }
      }
    }
    throw malformed("a part has too many header lines");
  }

  /** Browsers and their kind write quotes and line ends as they do in URLs. */
  private static String unescaped(String text) {
    return text.replaceAll("\\\\([\"\\\\])", "$1")
        .replace("%22", "\"")
        .replace("%0D", "\r")
        .replace("%0A", "\n");
  }

  /** How many bytes of the part are in the buffer, at least one; 0 when it has ended. */
  private int ready() throws IOException {
    while (true) {
      int at = delimiterAt();
      if (at >= 0) {
        return at - from;
      }
      int sure = to - from - (delimiter.length - 1);
      if (sure > 0) {
        return sure;
      }
      fill();
    }
  }

  private int delimiterAt() {
    for (int i = from; i <= to - delimiter.length; i++) {
      if (buffer[i] == '\r' && matches(i)) {
        return i;
      }
    }
    return -1;
  }

  private boolean matches(int at) {
    for (int i = 1; i < delimiter.length; i++) {
      if (buffer[at + i] != delimiter[i]) {
        return false;
      }
    }
    return true;
  }

  private void fill() throws IOException {
    System.arraycopy(buffer, from, buffer, 0, to - from);
    to -= from;
    from = 0;
    int count = in.read(buffer, to, buffer.length - to);
    if (count < 0) {
      throw malformed("it ends before its last boundary");
    }
    to += count;
  }

  private String line() throws IOException {
    ByteArrayOutputStream line = new ByteArrayOutputStream();
    while (true) {
      if (from == to) {
        from = 0;
        to = 0;
        fill();
      }
      byte next = buffer[from++];
      if (next == '\n') {
        String text = line.toString(StandardCharsets.UTF_8);
        return text.endsWith("\r") ? text.substring(0, text.length() - 1) : text;
      }
      if (line.size() == LONGEST_LINE) {
        throw malformed("a line is too long");
      }
      line.write(next);
      // The very end needs no line end.
      if (line.size() == 2 && line.toString(StandardCharsets.ISO_8859_1).equals("--")) {
        return "--";
      }
    }
  }

  private static ForkdException malformed(String why) {
    return ForkdException.badRequest("The multipart body is malformed: %s.", why);
  }

  /** The content of the part that was read last. */
  private final class Content extends ChunkInput {
    private final int own = parts;

    @Override
    public int read(byte[] target, int offset, int length) throws IOException {
      if (length == 0) {
        return 0;
      }
      int count = finished || own != parts ? 0 : ready();
      if (count == 0) {
        return -1;
      }
      int taken = Math.min(count, length);
      System.arraycopy(buffer, from, target, offset, taken);
      from += taken;
      return taken;
    }
  }
}
