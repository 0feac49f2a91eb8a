package io.forkd.cli;

import io.forkd.linux.Probe;
import java.util.Locale;

/**
 * What a check found.
 *
 * @param meaning what that means for forkd
 * @param fix what to do about it; empty when nothing is to be done
 */
record Finding(Level level, String found, String meaning, String fix) {
  /** How much a finding matters. */
  enum Level {
    /** As it should be. */
    OK,
    /** forkd works, with less speed or fewer features. */
    WARN,
    /** forkd cannot work. */
    FAIL;

    String word() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  static Finding ok(String found, String meaning) {
    return new Finding(Level.OK, found, meaning, "");
  }

  static Finding warn(String found, String meaning, String fix) {
    return new Finding(Level.WARN, found, meaning, fix);
  }

  /** Fine when the probe works, else something to know. */
  static Finding of(Probe probe, String whenItWorks, String whenNot, String fix) {
    return probe.works() ? ok(probe.reason(), whenItWorks) : warn(probe.reason(), whenNot, fix);
  }

  static Finding fail(String found, String meaning, String fix) {
    return new Finding(Level.FAIL, found, meaning, fix);
  }
}
