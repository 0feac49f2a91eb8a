package io.forkd.cli;

import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Names and values that sandboxes are found by. */
final class Labels {
  private Labels() {}

  static Map<String, String> parse(List<String> pairs) {
    return Pairs.parse("--label", pairs);
  }

  static String text(Map<String, String> labels) {
    return labels.isEmpty()
        ? "–"
        : labels.entrySet().stream()
            .map(label -> Visible.name(label.getKey() + "=" + label.getValue()))
            .collect(Collectors.joining(" "));
  }
}
