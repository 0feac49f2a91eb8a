package io.forkd.bench;

import java.util.List;

/**
 * A part of a chart: named bars on one logarithmic axis of milliseconds.
 *
 * @param title what the bars mean
 */
record BarPanel(String title, List<Bar> bars) {
  static final int BAR = 26;
  static final int STEP = 40;
  static final int HEAD = 58;
  static final int FOOT = 18;

  private static final int LEFT = 232;
  private static final int RIGHT = 900;
  private static final int ROOM_FOR_LABEL = 150;

  /**
   * One bar.
   *
   * @param projected whether the value is no measurement
   */
  record Bar(String name, double millis, String label, boolean ours, boolean projected) {}

  BarPanel {
    bars = List.copyOf(bars);
  }

  int height() {
    return HEAD + bars.size() * STEP + FOOT;
  }

  void draw(Svg svg, int top) {
    svg.text(28, top + 22, "panel", title);
    int low = (int) Math.floor(Math.log10(smallest()));
    int high = Math.max(low + 1, (int) Math.ceil(Math.log10(largest())));
    int axis = top + HEAD - 12;
    for (int decade = low; decade <= high; decade++) {
      double x = x(Math.pow(10, decade), low, high);
      svg.line(x, axis, x, top + HEAD + bars.size() * STEP - (STEP - BAR), "grid");
      svg.centered(x, axis - 6, "tick", tick(decade));
    }
    for (int i = 0; i < bars.size(); i++) {
      draw(svg, bars.get(i), top + HEAD + i * STEP, low, high);
    }
  }

  private static void draw(Svg svg, Bar bar, int y, int low, int high) {
    double end = x(bar.millis(), low, high);
    String kind = (bar.ours() ? "ours" : "peer") + (bar.projected() ? " projected" : "");
    svg.right(LEFT - 12, y + 18, bar.ours() ? "name strong" : "name", bar.name());
    svg.bar(LEFT, y, Math.max(2, end - LEFT), BAR, kind);
    svg.text(end + 10, y + 18, bar.ours() ? "value strong" : "value", bar.label());
  }

  private static double x(double millis, int low, int high) {
    double share = (Math.log10(millis) - low) / (high - low);
    return LEFT + share * (RIGHT - ROOM_FOR_LABEL - LEFT);
  }

  private static String tick(int decade) {
    double millis = Math.pow(10, decade);
    return millis >= 1000
        ? "%.0f s".formatted(millis / 1000)
        : "%.4g ms".formatted(millis).replaceFirst("\\.?0+ ", " ");
  }

  private double smallest() {
    return bars.stream().mapToDouble(Bar::millis).min().orElse(1);
  }

  private double largest() {
    return bars.stream().mapToDouble(Bar::millis).max().orElse(10);
  }
}
