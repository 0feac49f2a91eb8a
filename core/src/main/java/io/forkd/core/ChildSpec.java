package io.forkd.core;

import io.forkd.base.ForkdException;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * What a sandbox is given when it is made.
 *
 * @param labels names and values people find it by
 * @param owner whose it is; empty means everybody's who may do anything
 */
public record ChildSpec(
    Limits limits,
    Lifetime lifetime,
    Optional<Egress> egress,
    Map<String, String> labels,
    Optional<String> owner) {
  public static final int MOST_LABELS = 32;
  public static final int LONGEST_VALUE = 256;
  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_][A-Za-z0-9._/-]{0,63}");

  public static final ChildSpec PLAIN =
      new ChildSpec(Limits.NONE, Lifetime.UNLIMITED, Optional.empty(), Map.of(), Optional.empty());

  public ChildSpec {
    labels = checkedLabels(labels);
  }

  /** One with a memory limit and a time to live and nothing else of its own. */
  public static ChildSpec of(Optional<Integer> memoryLimitMib, Optional<Duration> ttl) {
    return new ChildSpec(
        Limits.ofMemory(memoryLimitMib),
        Lifetime.of(ttl),
        Optional.empty(),
        Map.of(),
        Optional.empty());
  }

  public ChildSpec withOwner(Optional<String> whose) {
    return new ChildSpec(limits, lifetime, egress, labels, whose);
  }

  static Map<String, String> checkedLabels(Map<String, String> labels) {
    if (labels.size() > MOST_LABELS) {
      throw ForkdException.badRequest(
          "there are %d labels: use at most %d.", labels.size(), MOST_LABELS);
    }
    labels.forEach(
        (name, value) -> {
          if (!NAME.matcher(name).matches()) {
            throw ForkdException.badRequest(
                "a label's name must match %s; one does not.", NAME.pattern());
          }
          if (value.length() > LONGEST_VALUE
              || value.chars().anyMatch(c -> Character.isISOControl(c))) {
            throw ForkdException.badRequest(
                "the value of label %s is too long or not printable: use at most %d characters.",
                name, LONGEST_VALUE);
          }
        });
    return Map.copyOf(labels);
  }
}
