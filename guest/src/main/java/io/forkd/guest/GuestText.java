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
 * Names of a guest as text: they are any bytes there, and are shown to people here.
 *
 * <p>UTF-8 stands for itself. A byte that is not UTF-8, and every byte of a character that would
 * not be seen (controls, formats, line separators), is {@code \xHH}; a backslash is doubled. So any
 * name can be printed, and turned back into exactly its bytes.
 */
final class GuestText {
  private static final HexFormat HEX = HexFormat.of();

  private GuestText() {}

  static String of(byte[] bytes) {
    CharsetDecoder decoder =
        StandardCharsets.UTF_8
            .newDecoder()
            .onMalformedInput(CodingErrorAction.REPORT)
            .onUnmappableCharacter(CodingErrorAction.REPORT);
    ByteBuffer in = ByteBuffer.wrap(bytes);
    CharBuffer out = CharBuffer.allocate(bytes.length);
    StringBuilder text = new StringBuilder(bytes.length);
    while (true) {
      CoderResult result = decoder.decode(in, out.clear(), true);
      appendVisible(text, out.flip());
      if (!result.isError()) {
        return text.toString();
      }
      for (int i = 0; i < result.length(); i++) {
        escape(text, in.get());
      }
      decoder.reset();
    }
  }

  private static void appendVisible(StringBuilder text, CharBuffer characters) {
    while (characters.hasRemaining()) {
      int codePoint = Character.codePointAt(characters, 0);
      characters.position(characters.position() + Character.charCount(codePoint));
      if (codePoint == '\\') {
        text.append("\\\\");
      } else if (isVisible(codePoint)) {
        text.appendCodePoint(codePoint);
      } else {
        for (byte hidden : Character.toString(codePoint).getBytes(StandardCharsets.UTF_8)) {
          escape(text, hidden);
        }
      }
    }
  }

  private static boolean isVisible(int codePoint) {
    return switch (Character.getType(codePoint)) {
      case Character.CONTROL,
          Character.FORMAT,
          Character.LINE_SEPARATOR,
          Character.PARAGRAPH_SEPARATOR ->
          false;
      default -> true;
    };
  }

  private static void escape(StringBuilder text, byte value) {
    text.append("\\x").append(HEX.toHexDigits(value));
  }

  /** The bytes a text stands for. */
  static byte[] bytes(String text) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream(text.length());
    int at = 0;
    while (at < text.length()) {
      int backslash = text.indexOf('\\', at);
      int plainEnd = backslash < 0 ? text.length() : backslash;
      bytes.writeBytes(text.substring(at, plainEnd).getBytes(StandardCharsets.UTF_8));
      at = plainEnd;
      if (text.startsWith("\\\\", at)) {
        bytes.write('\\');
        at += 2;
      } else if (at < text.length()) {
        bytes.write(escaped(text, at));
        at += 4;
      }
    }
    return bytes.toByteArray();
  }

  private static int escaped(String text, int at) {
    if (text.startsWith("\\x", at) && text.length() >= at + 4) {
      String digits = text.substring(at + 2, at + 4);
      if (digits.chars().allMatch(HexFormat::isHexDigit)) {
        return HexFormat.fromHexDigits(digits);
      }
    }
    throw ForkdException.badRequest(
        "The name '%s' has a backslash that is neither doubled nor followed by x and two digits.",
        Printable.shorten(text));
  }
}
