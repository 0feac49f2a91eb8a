package io.forkd.guest;

import io.forkd.base.ForkdException;
import io.forkd.base.Printable;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CoderResult;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;

/**
 * Paths of a guest as those who work with its files write them: any bytes there, text here.
 *
 * <p>UTF-8 stands for itself, whatever characters it has. A byte that is not UTF-8 is {@code \xHH}.
 * A backslash stands for itself too, and is doubled only where it would otherwise read as one of
 * these two. So every name can be turned back into exactly its bytes, and the usual ones are what
 * they seem. {@link GuestText} is for names that are only shown.
 */
final class FileNames {
  private static final HexFormat HEX = HexFormat.of();

  private FileNames() {}

  static String text(byte[] name) {
    CharsetDecoder decoder =
        StandardCharsets.UTF_8
            .newDecoder()
            .onMalformedInput(CodingErrorAction.REPORT)
            .onUnmappableCharacter(CodingErrorAction.REPORT);
    ByteBuffer in = ByteBuffer.wrap(name);
    CharBuffer out = CharBuffer.allocate(name.length);
    StringBuilder text = new StringBuilder(name.length);
    while (true) {
      CoderResult result = decoder.decode(in, out.clear(), true);
      appendPlain(text, out.flip().toString(), result.isError());
      if (!result.isError()) {
        return text.toString();
      }
      for (int i = 0; i < result.length(); i++) {
        text.append("\\x").append(HEX.toHexDigits(in.get()));
      }
      decoder.reset();
    }
  }

  /** Appends valid text, which an escape may follow. */
  private static void appendPlain(StringBuilder text, String plain, boolean escapeFollows) {
    for (int i = 0; i < plain.length(); i++) {
      char character = plain.charAt(i);
      text.append(character);
      boolean last = i + 1 == plain.length();
      if (character == '\\' && (last ? escapeFollows : misread(plain, i))) {
        text.append('\\');
      }
    }
  }

  private static boolean misread(String plain, int backslash) {
    return plain.charAt(backslash + 1) == '\\' || isEscape(plain, backslash);
  }

  private static boolean isEscape(String text, int at) {
    return text.startsWith("\\x", at)
        && text.length() >= at + 4
        && HexFormat.isHexDigit(text.charAt(at + 2))
        && HexFormat.isHexDigit(text.charAt(at + 3));
  }

  /** The bytes of a path that a caller names. */
  static byte[] bytes(String path) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream(path.length());
    int at = 0;
    while (at < path.length()) {
      int backslash = path.indexOf('\\', at);
      int plainEnd = backslash < 0 ? path.length() : backslash;
      bytes.writeBytes(path.substring(at, plainEnd).getBytes(StandardCharsets.UTF_8));
      at = plainEnd;
      if (isEscape(path, at)) {
        bytes.write(HexFormat.fromHexDigits(path, at + 2, at + 4));
        at += 4;
      } else if (at < path.length()) {
        bytes.write('\\');
        at += path.startsWith("\\\\", at) ? 2 : 1;
      }
    }
    return checked(bytes.toByteArray(), path);
  }

  private static byte[] checked(byte[] bytes, String path) {
    for (byte value : bytes) {
      if (value == 0) {
        throw ForkdException.badRequest("The path '%s' has a NUL in it.", Printable.shorten(path));
      }
    }
    if (bytes.length > GuestPath.LONGEST) {
      throw ForkdException.badRequest(
          "The path '%s' has %d bytes; a guest takes at most %d.",
          Printable.shorten(path), bytes.length, GuestPath.LONGEST);
    }
    return bytes;
  }
}
