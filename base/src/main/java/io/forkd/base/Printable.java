package io.forkd.base;

/** Makes text from strangers safe and short enough to repeat in a message. */
public final class Printable {
  private static final int LONGEST = 80;

  private Printable() {}

  public static String shorten(String text) {
    String clean =
        text.codePoints()
            .limit(LONGEST)
            .map(Printable::visible)
            .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
            .toString();
    return text.length() > LONGEST ? clean + "…" : clean;
  }

  private static int visible(int codePoint) {
    return Character.isISOControl(codePoint) ? '?' : codePoint;
  }
}
