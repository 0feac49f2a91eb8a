package io.forkd.server;

import io.forkd.base.ForkdException;
import io.forkd.base.Printable;
import java.util.List;
import java.util.Locale;

/** The signals of Linux by name and number, the same on every architecture that is supported. */
final class Signals {
  static final int HANGUP = 1;
  static final int KILL = 9;
  static final int LAST = 64;

  private static final List<String> NAMES =
      List.of(
          "HUP", "INT", "QUIT", "ILL", "TRAP", "ABRT", "BUS", "FPE", "KILL", "USR1", "SEGV", "USR2",
          "PIPE", "ALRM", "TERM", "STKFLT", "CHLD", "CONT", "STOP", "TSTP", "TTIN", "TTOU", "URG",
          "XCPU", "XFSZ", "VTALRM", "PROF", "WINCH", "IO", "PWR", "SYS");

  static final Schema SCHEMA = Schema.anyOf(Schema.text(), Schema.whole(1, LAST));

  private Signals() {}

  static String name(int number) {
    return number >= 1 && number <= NAMES.size()
        ? "SIG" + NAMES.get(number - 1)
        : "signal " + number;
  }

  /** The number that a field says, as one or as a name with or without SIG. */
  static int read(Fields fields, String name) {
    if (fields.isString(name)) {
      return number(fields.requiredString(name));
    }
    return fields.requiredInteger(name, 1, LAST);
  }

  private static int number(String text) {
    String upper = text.toUpperCase(Locale.ROOT);
    int index = NAMES.indexOf(upper.startsWith("SIG") ? upper.substring(3) : upper);
    if (index < 0) {
      throw ForkdException.badRequest(
          "There is no signal '%s': use a name such as SIGTERM, or a number from 1 to %d.",
          Printable.shorten(text), LAST);
    }
    return index + 1;
  }
}
