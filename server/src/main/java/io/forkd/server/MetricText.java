package io.forkd.server;

import java.util.List;

/** Metrics under construction in Prometheus's text format, version 0.0.4. */
final class MetricText {
  static final String CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8";

  private final StringBuilder out = new StringBuilder(8192);

  /** Begins a family of samples; all of them must follow at once. */
  MetricText family(String name, String type, String help) {
    out.append("# HELP ").append(name).append(' ').append(help).append('\n');
    out.append("# TYPE ").append(name).append(' ').append(type).append('\n');
    return this;
  }

  MetricText sample(String name, List<String> labels, List<String> values, long value) {
    return sample(name, labels, values, Long.toString(value));
  }

  MetricText sample(String name, List<String> labels, List<String> values, double value) {
    return sample(name, labels, values, number(value));
  }

  private MetricText sample(String name, List<String> labels, List<String> values, String value) {
    out.append(name);
    if (!labels.isEmpty()) {
      out.append('{');
      for (int i = 0; i < labels.size(); i++) {
        out.append(i == 0 ? "" : ",").append(labels.get(i)).append("=\"");
        escape(values.get(i));
        out.append('"');
      }
      out.append('}');
    }
    out.append(' ').append(value).append('\n');
    return this;
  }

  /** A family of one sample without labels. */
  MetricText gauge(String name, String help, long value) {
    return family(name, "gauge", help).sample(name, List.of(), List.of(), value);
  }

  static String number(double value) {
    if (value == Double.POSITIVE_INFINITY) {
      return "+Inf";
    }
    boolean whole = value == Math.rint(value) && Math.abs(value) < 1L << 53;
    return whole ? Long.toString((long) value) : Double.toString(value);
  }

  private void escape(String value) {
    for (int i = 0; i < value.length(); i++) {
      char c = value.charAt(i);
      switch (c) {
        case '\\' -> out.append("\\\\");
        case '"' -> out.append("\\\"");
        case '\n' -> out.append("\\n");
        default -> out.append(c);
      }
    }
  }

  @Override
  public String toString() {
    return out.toString();
  }
}
