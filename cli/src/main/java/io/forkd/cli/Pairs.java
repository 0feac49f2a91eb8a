package io.forkd.cli;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Names and values as they are written on a command line. */
final class Pairs {
  private Pairs() {}

  /**
   * Reads them.
   *
   * @param what they are, for who wrote one wrongly
   */
  static Map<String, String> parse(String what, List<String> words) {
    Map<String, String> pairs = new LinkedHashMap<>();
    for (String word : words) {
      int equals = word.indexOf('=');
      if (equals < 1) {
        throw CliException.usage("%s '%s' is not NAME=VALUE.".formatted(what, Visible.name(word)));
      }
      pairs.put(word.substring(0, equals), word.substring(equals + 1));
    }
    return pairs;
  }
}
