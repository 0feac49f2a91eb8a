package io.forkd.server;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Metrics read back as a scraper would; whatever breaks the text format's rules is an error. */
final class MetricSamples {
  private static final Pattern COMMENT =
      Pattern.compile("# (HELP|TYPE) ([a-zA-Z_:][a-zA-Z0-9_:]*) (\\S.*)");
  private static final Pattern SAMPLE =
      Pattern.compile("([a-zA-Z_:][a-zA-Z0-9_:]*)(\\{(.*)})? (\\S+)");
  private static final Pattern LABEL =
      Pattern.compile("([a-zA-Z_][a-zA-Z0-9_]*)=\"((?:[^\"\\\\]|\\\\[\\\\\"n])*)\"(,|$)");

  private final Map<String, String> types = new HashMap<>();
  private final Map<String, String> help = new HashMap<>();
  private final Map<String, Double> samples = new LinkedHashMap<>();
  private String family = "";

  static MetricSamples parse(String text) {
    MetricSamples metrics = new MetricSamples();
    require(text.endsWith("\n"), "the text does not end with a newline");
    text.lines().forEach(metrics::line);
    metrics.requireWholeHistograms();
    return metrics;
  }

  /** The value of a series, written as in the text. */
  double value(String series) {
    return Optional.ofNullable(samples.get(series))
        .orElseThrow(() -> new AssertionError("There is no " + series + " in " + samples.keySet()));
  }

  boolean has(String series) {
    return samples.containsKey(series);
  }

  String type(String name) {
    return types.getOrDefault(name, "");
  }

  private void line(String line) {
    if (line.startsWith("#")) {
      comment(line);
      return;
    }
    Matcher sample = SAMPLE.matcher(line);
    require(sample.matches(), "not a sample: " + line);
    String name = sample.group(1);
    requireInFamily(name, line);
    checkLabels(sample.group(3));
    String series = name + Optional.ofNullable(sample.group(2)).orElse("");
    double value = Double.parseDouble(sample.group(4).replace("+Inf", "Infinity"));
    require(samples.put(series, value) == null, "twice: " + series);
  }

  private void comment(String line) {
    Matcher comment = COMMENT.matcher(line);
    require(comment.matches(), "neither HELP nor TYPE: " + line);
    String name = comment.group(2);
    if (comment.group(1).equals("HELP")) {
      require(help.put(name, comment.group(3)) == null, "two HELPs: " + line);
    } else {
      require(comment.group(3).matches("counter|gauge|histogram"), "unknown type: " + line);
      require(types.put(name, comment.group(3)) == null, "two TYPEs: " + line);
      require(help.containsKey(name), "no HELP before: " + line);
    }
    family = name;
  }

  private void requireInFamily(String name, String line) {
    boolean histogram = type(family).equals("histogram");
    boolean fits =
        histogram
            ? name.equals(family + "_bucket")
                || name.equals(family + "_sum")
                || name.equals(family + "_count")
            : name.equals(family);
    require(fits, "not in the family %s: %s".formatted(family, line));
    require(!type(family).equals("counter") || name.endsWith("_total"), "not _total: " + line);
  }

  private static void checkLabels(String labels) {
    if (labels == null) {
      return;
    }
    Matcher label = LABEL.matcher(labels);
    int end = 0;
    while (end < labels.length()) {
      require(label.find(end) && label.start() == end, "bad labels: " + labels);
      end = label.end();
    }
  }

  /** Buckets must rise, and the last must be the count. */
  private void requireWholeHistograms() {
    Map<String, Double> last = new HashMap<>();
    samples.forEach(
        (series, value) -> {
          if (series.contains("_bucket{")) {
            String key = series.replaceFirst(",?le=\"[^\"]*\"", "").replace("{}", "");
            double before = last.getOrDefault(key, 0.0);
            require(value >= before, "falling buckets: " + series);
            last.put(key, value);
            if (series.contains("le=\"+Inf\"")) {
              String count = key.replace("_bucket", "_count");
              require(value(count) == value, "buckets do not add up to " + count);
            }
          }
        });
  }

  private static void require(boolean holds, String problem) {
    if (!holds) {
      throw new AssertionError(problem);
    }
  }
}
