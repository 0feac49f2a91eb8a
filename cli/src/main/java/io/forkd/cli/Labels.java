package io.forkd.cli;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Names and values that sandboxes are found by. */
final class Labels {
  private Labels() {}

  static Map<String, String> parse(List<String> pairs) {
    Map<String, String> labels = new LinkedHashMap<>();
    for (String pair : pairs) {
      int equals = pair.indexOf('=');
      if (equals < 1) {
        throw CliException.usage("--label '%s' is not NAME=VALUE.".formatted(Visible.name(pair)));
      }
      labels.put(pair.substring(0, equals), pair.substring(equals + 1));
    }
    return labels;
  }

  static String text(Map<String, String> labels) {
    return labels.isEmpty()
        ? "–"
        : labels.entrySet().stream()
            .map(label -> Visible.name(label.getKey() + "=" + label.getValue()))
            .collect(Collectors.joining(" "));
  }
}
