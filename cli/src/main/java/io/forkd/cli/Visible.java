package io.forkd.cli;

/** Makes text that a guest may have written harmless to a terminal. */
final class Visible {
  private Visible() {}

  /** The same text, whose control characters other than line breaks and tabs are spelled out. */
  static String text(String text) {
    if (text.codePoints().noneMatch(Visible::acts)) {
      return text;
    }
    StringBuilder visible = new StringBuilder();
    text.codePoints().forEach(c -> append(visible, c));
    return visible.toString();
  }

  /** The same text, as part of one line. */
  static String name(String text) {
    return text(text).replace("\n", "^J").replace("\t", "^I");
  }

  private static boolean acts(int codePoint) {
    return codePoint != '\n'
        && codePoint != '\t'
        && (Character.isISOControl(codePoint) || Character.getType(codePoint) == Character.FORMAT);
  }

  private static void append(StringBuilder visible, int codePoint) {
    if (!acts(codePoint)) {
      visible.appendCodePoint(codePoint);
    } else if (codePoint < 0x80) {
      visible.append('^').append((char) (codePoint ^ 0x40));
    } else {
      visible.append("\\u%04x".formatted(codePoint));
    }
  }
}
