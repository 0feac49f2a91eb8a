package io.forkd.bench;

import java.util.Locale;

/** Writes the few shapes a chart needs as SVG. */
final class Svg {
  private static final String STYLE =
      """
      text { font-family: "DejaVu Sans", "Segoe UI", Helvetica, Arial, sans-serif; font-size: 13px; fill: #334155 }
      .title { font-size: 20px; font-weight: bold; fill: #0f172a }
      .subtitle { fill: #64748b }
      .panel { font-size: 15px; font-weight: bold; fill: #0f172a }
      .tick { font-size: 11px; fill: #94a3b8 }
      .note { font-size: 11px; fill: #64748b }
      .value { paint-order: stroke; stroke: #ffffff; stroke-width: 4px }
      .strong { font-weight: bold; fill: #0f172a }
      .grid { stroke: #e2e8f0; stroke-width: 1 }
      .ours { fill: #0d9488 }
      .peer { fill: #94a3b8 }
      .projected { fill-opacity: 0.45; stroke: #94a3b8; stroke-dasharray: 4 3 }
      """;

  private final StringBuilder body = new StringBuilder();

  void text(double x, double y, String kind, String words) {
    anchored(x, y, "start", kind, words);
  }

  void centered(double x, double y, String kind, String words) {
    anchored(x, y, "middle", kind, words);
  }

  void right(double x, double y, String kind, String words) {
    anchored(x, y, "end", kind, words);
  }

  private void anchored(double x, double y, String anchor, String kind, String words) {
    body.append(
        String.format(
            Locale.ROOT,
            "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\" class=\"%s\">%s</text>%n",
            x,
            y,
            anchor,
            kind,
            escape(words)));
  }

  void line(double x1, double y1, double x2, double y2, String kind) {
    body.append(
        String.format(
            Locale.ROOT,
            "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" class=\"%s\"/>%n",
            x1,
            y1,
            x2,
            y2,
            kind));
  }

  void bar(double x, double y, double width, double height, String kind) {
    body.append(
        String.format(
            Locale.ROOT,
            "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" rx=\"3\" class=\"%s\"/>%n",
            x,
            y,
            width,
            height,
            kind));
  }

  String document(int width, int height, String title) {
    return """
        <?xml version="1.0" encoding="UTF-8"?>
        <svg xmlns="http://www.w3.org/2000/svg" width="%1$d" height="%2$d" viewBox="0 0 %1$d %2$d" role="img">
        <title>%3$s</title>
        <style>
        %4$s</style>
        <rect width="%1$d" height="%2$d" fill="#ffffff"/>
        %5$s</svg>
        """
        .formatted(width, height, escape(title), STYLE, body);
  }

  private static String escape(String words) {
    return words
        .replace("&", "&amp;")
        .replace("<", "&lt;")
        .replace(">", "&gt;")
        .replace("\"", "&quot;")
        .replaceAll("[\\x00-\\x08\\x0b\\x0c\\x0e-\\x1f]", "?");
  }
}
