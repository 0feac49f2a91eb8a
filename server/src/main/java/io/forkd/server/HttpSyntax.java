package io.forkd.server;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** What may stand where in a message of HTTP/1.1 (RFC 9110, 9112). */
final class HttpSyntax {
  private HttpSyntax() {}

  /** Whether it can be a method or a header's name. */
  static boolean isToken(String text) {
    return !text.isEmpty() && text.chars().allMatch(HttpSyntax::isTokenCharacter);
  }

  private static boolean isTokenCharacter(int c) {
    return (c >= '0' && c <= '9')
        || (c >= 'a' && c <= 'z')
        || (c >= 'A' && c <= 'Z')
        || "!#$%&'*+-.^_`|~".indexOf(c) >= 0;
  }

  /** Whether it can be a header's value: above all, whether it stays within its line. */
  static boolean isValue(String text) {
    return text.chars().allMatch(c -> c == '\t' || (c >= ' ' && c != 0x7f && c <= 0xff));
  }

  /** Without the spaces and tabs around it; other white space is none in HTTP. */
  static String trimmed(String text) {
    int from = 0;
    int to = text.length();
    while (from < to && isBlank(text.charAt(from))) {
      from++;
    }
    while (to > from && isBlank(text.charAt(to - 1))) {
      to--;
    }
    return text.substring(from, to);
  }

  private static boolean isBlank(char c) {
    return c == ' ' || c == '\t';
  }

  /** The elements of a comma-separated list, in lower case. */
  static List<String> elements(String list) {
    return Arrays.stream(list.split(",", -1))
        .map(element -> trimmed(element).toLowerCase(Locale.ROOT))
        .filter(element -> !element.isEmpty())
        .toList();
  }

  /** A part of a request's target in which nothing ends the line it stands in. */
  static String targetPart(String raw) {
    if (raw.chars().allMatch(c -> c > ' ' && c < 0x7f)) {
      return raw;
    }
    StringBuilder encoded = new StringBuilder(raw.length() + 16);
    for (byte b : raw.getBytes(StandardCharsets.UTF_8)) {
      if (b > ' ' && b < 0x7f) {
        encoded.append((char) b);
      } else {
        encoded.append("%%%02X".formatted(b & 0xff));
      }
    }
    return encoded.toString();
  }
}
