package io.forkd.core.net;

import java.util.Locale;
import java.util.regex.Pattern;

/**
 * A host name, or all names below one.
 *
 * @param name in lower case, without a final dot
 * @param below whether it stands for {@code *.name}
 */
record NamePattern(String name, boolean below) {
  private static final int LONGEST = 253;
  private static final Pattern LABEL = Pattern.compile("[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?");
  private static final Pattern NUMBERS = Pattern.compile("[0-9.]+");

  /** Reads {@code example.org} or {@code *.example.org}; says what is wrong with other text. */
  static NamePattern parse(String text) {
    String rest = text.toLowerCase(Locale.ROOT);
    boolean below = rest.startsWith("*.");
    if (below) {
      rest = rest.substring(2);
    }
    if (rest.endsWith(".")) {
      rest = rest.substring(0, rest.length() - 1);
    }
    check(rest);
    return new NamePattern(rest, below);
  }

  private static void check(String name) {
    if (name.isEmpty() || name.length() > LONGEST) {
      throw new IllegalArgumentException("a name has 1 to %d characters".formatted(LONGEST));
    }
    if (NUMBERS.matcher(name).matches() || name.contains("/") || name.contains(":")) {
      throw new IllegalArgumentException("it is not a name; addresses go under cidrs");
    }
    if (name.contains("*")) {
      throw new IllegalArgumentException(
          "a * may only stand for all of the first part, as in *.a.b");
    }
    for (String label : name.split("\\.", -1)) {
      if (!LABEL.matcher(label).matches()) {
        throw new IllegalArgumentException(
            "each part has 1 to 63 of a-z 0-9 - _ and no - at its ends;"
                + " other letters are written in their xn-- form");
      }
    }
  }

  /** Whether a name in lower case without a final dot is meant. */
  boolean matches(String asked) {
    return below
        ? asked.length() > name.length() + 1 && asked.endsWith("." + name)
        : asked.equals(name);
  }

  @Override
  public String toString() {
    return below ? "*." + name : name;
  }
}
