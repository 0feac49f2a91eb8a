package io.forkd.vmm;

import java.util.List;

/** The end of a text from a stranger, made fit to be shown. */
final class LastLines {
  private static final int LONGEST = 300;

  private LastLines() {}

  static List<String> of(String text, int most) {
    List<String> lines =
        text.lines().map(LastLines::clean).filter(line -> !line.isBlank()).toList();
    return lines.subList(Math.max(0, lines.size() - most), lines.size());
  }

  private static String clean(String line) {
    String printable =
        line.strip()
            .codePoints()
            .limit(LONGEST)
            .map(each -> Character.isISOControl(each) ? ' ' : each)
            .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
            .toString();
    return printable.strip();
  }
}
