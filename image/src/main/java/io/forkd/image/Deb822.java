package io.forkd.image;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Stanzas of {@code Key: value} lines, as apt prints and stores them. */
final class Deb822 {
  private Deb822() {}

  /** One map per stanza, keys in lower case; continuation lines keep their line breaks. */
  static List<Map<String, String>> parse(String text) {
    List<Map<String, String>> stanzas = new ArrayList<>();
    Map<String, String> stanza = new LinkedHashMap<>();
    String key = "";
    for (String line : text.lines().toList()) {
      if (line.startsWith("#")) {
        continue;
      }
      if (line.isBlank()) {
        key = "";
        if (!stanza.isEmpty()) {
          stanzas.add(stanza);
          stanza = new LinkedHashMap<>();
        }
      } else if (Character.isWhitespace(line.charAt(0))) {
        if (!key.isEmpty()) {
          stanza.merge(key, line, (before, more) -> before + "\n" + more);
        }
      } else if (line.indexOf(':') > 0) {
        key = line.substring(0, line.indexOf(':')).strip().toLowerCase(Locale.ROOT);
        stanza.put(key, line.substring(line.indexOf(':') + 1).strip());
      }
    }
    if (!stanza.isEmpty()) {
      stanzas.add(stanza);
    }
    return stanzas;
  }
}
