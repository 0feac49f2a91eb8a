package io.forkd.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Reads a tar archive: ustar, with the long names of pax and GNU. What is in it is a stranger's
 * word: nothing here trusts a length or a name.
 */
final class TarReader {
  private static final int BLOCK = 512;
  private static final int MAGIC = 257;
  private static final int LONGEST_EXTRA = 1 << 20;

  private final InputStream in;
  private long left;
  private long padding;

  TarReader(InputStream in) {
    this.in = in;
  }

  /** The next thing, past what is unread of the one before; empty at the end. */
  Optional<TarEntry> next() throws IOException {
    Map<String, String> extra = new HashMap<>();
    while (true) {
      in.skipNBytes(left + padding);
      byte[] header = in.readNBytes(BLOCK);
      if (header.length < BLOCK && header.length > 0) {
        throw new EOFException("the archive ends in the middle");
      }
      if (header.length == 0 || isZero(header)) {
        in.transferTo(OutputStream.nullOutputStream());
        return Optional.empty();
      }
      TarEntry entry = parse(header);
      begin(entry.size());
      switch (entry.type()) {
        case 'x' -> readPax(extra);
        case 'L' -> extra.put("path", readText());
        case 'K' -> extra.put("linkpath", readText());
        case 'g' -> {}
        default -> {
          return Optional.of(with(entry, extra));
        }
      }
    }
  }

  /** Copies the content of the file that was told last. */
  void copyTo(OutputStream out) throws IOException {
    byte[] piece = new byte[64 << 10];
    while (left > 0) {
      int count = in.read(piece, 0, (int) Math.min(piece.length, left));
      if (count < 0) {
        throw new EOFException("the archive ends in the middle of a file");
      }
      out.write(piece, 0, count);
      left -= count;
    }
  }

  private void begin(long size) {
    left = size;
    padding = (BLOCK - size % BLOCK) % BLOCK;
  }

  private TarEntry with(TarEntry entry, Map<String, String> extra) throws IOException {
    long size = extra.containsKey("size") ? decimal(extra.getOrDefault("size", "")) : entry.size();
    begin(entry.isFile() ? size : 0);
    return new TarEntry(
        entry.type(),
        extra.getOrDefault("path", entry.path()),
        entry.mode(),
        left,
        entry.modified(),
        extra.getOrDefault("linkpath", entry.link()));
  }

  private static TarEntry parse(byte[] header) throws IOException {
    if (!text(header, MAGIC, 5).equals("ustar")) {
      throw new IOException("what came is no tar archive");
    }
    // GNU's own kind uses the room of the prefix otherwise, and has a space where ustar ends in
    // NUL.
    String prefix = header[MAGIC + 5] == 0 ? text(header, 345, 155) : "";
    String name = text(header, 0, 100);
    return new TarEntry(
        (char) header[156],
        prefix.isEmpty() ? name : prefix + "/" + name,
        (int) (number(header, 100, 8) & 0777),
        number(header, 124, 12),
        number(header, 136, 12),
        text(header, 157, 100));
  }

  private byte[] readExtra() throws IOException {
    if (left > LONGEST_EXTRA) {
      throw new IOException("a name in the archive is too long");
    }
    byte[] bytes = in.readNBytes((int) left);
    left -= bytes.length;
    return bytes;
  }

  private String readText() throws IOException {
    byte[] bytes = readExtra();
    return text(bytes, 0, bytes.length);
  }

  /** Records of the form {@code LENGTH KEY=VALUE\n}, where the length counts itself. */
  private void readPax(Map<String, String> extra) throws IOException {
    byte[] bytes = readExtra();
    for (int at = 0; at < bytes.length && bytes[at] != 0; ) {
      int space = at;
      while (space < bytes.length && bytes[space] != ' ') {
        space++;
      }
      long length = decimal(new String(bytes, at, space - at, UTF_8));
      if (length <= space - at + 1 || length > bytes.length - at) {
        throw new IOException("a header in the archive is malformed");
      }
      int end = at + (int) length;
      String[] pair = new String(bytes, space + 1, end - space - 2, UTF_8).split("=", 2);
      extra.put(pair[0], pair.length > 1 ? pair[1] : "");
      at = end;
    }
  }

  private static boolean isZero(byte[] block) {
    for (byte one : block) {
      if (one != 0) {
        return false;
      }
    }
    return true;
  }

  private static String text(byte[] bytes, int offset, int length) {
    int end = offset;
    while (end < offset + length && end < bytes.length && bytes[end] != 0) {
      end++;
    }
    return new String(Arrays.copyOfRange(bytes, offset, end), UTF_8);
  }

  /** Octal digits, or where they do not suffice a binary number with the top bit set. */
  private static long number(byte[] header, int offset, int length) throws IOException {
    if ((header[offset] & 0x80) != 0) {
      long value = header[offset] & 0x3f;
      for (int i = 1; i < length; i++) {
        value = (value << 8) | (header[offset + i] & 0xff);
      }
      if (value < 0) {
        throw new IOException("a number in the archive is too large");
      }
      return value;
    }
    String digits = text(header, offset, length).strip();
    return digits.isEmpty() ? 0 : parse(digits, 8);
  }

  private static long decimal(String digits) throws IOException {
    return parse(digits, 10);
  }

  private static long parse(String digits, int radix) throws IOException {
    try {
      long value = Long.parseLong(digits, radix);
      if (value >= 0) {
        return value;
      }
    } catch (NumberFormatException e) {
      throw new IOException("'%s' in the archive is no number".formatted(digits), e);
    }
    throw new IOException("a number in the archive is negative");
  }
}
