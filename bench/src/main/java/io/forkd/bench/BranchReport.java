package io.forkd.bench;

import io.forkd.client.BranchMode;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * All that one {@code bench branch} found out.
 *
 * @param firstMs the first branch, child and answer of this run, when this program was still cold
 * @param answered a child's first answer, by the depth of the sandbox that was branched
 * @param fanOut several children at once
 * @param failures what could not be measured although it should have been
 */
record BranchReport(
    Machine machine,
    BranchOptions options,
    double firstMs,
    List<PauseCell> pauses,
    List<Answered> answered,
    Optional<Consecutive> consecutive,
    Optional<Answered> fanOut,
    List<String> failures) {
  /** From this size on, and no smaller, a live pause is promised not to grow. */
  private static final int FLAT_FROM_MIB = 10;

  BranchReport {
    pauses = List.copyOf(pauses);
    answered = List.copyOf(answered);
    failures = List.copyOf(failures);
  }

  /** The median pauses of a mode by size. */
  Map<Integer, Double> medians(BranchMode mode) {
    Map<Integer, Double> medians = new TreeMap<>();
    pauses.stream()
        .filter(cell -> cell.mode() == mode)
        .forEach(cell -> cell.pauseMs().p50().ifPresent(it -> medians.put(cell.dirtyMib(), it)));
    return medians;
  }

  List<Goal> goals() {
    return Stream.of(livePause(), liveFlatness(), diffSlope(), depth(), last(), lastFew()).toList();
  }

  private Goal livePause() {
    return new Goal(
        "live_pause_ms",
        "live: the largest p50 of all sizes",
        medians(BranchMode.LIVE).values().stream().max(Double::compare),
        10,
        "ms",
        "56 ms");
  }

  private Goal liveFlatness() {
    TreeMap<Integer, Double> medians = new TreeMap<>(medians(BranchMode.LIVE));
    medians.headMap(FLAT_FROM_MIB).clear();
    boolean several = medians.size() > 1;
    return new Goal(
        "live_flatness",
        several
            ? "live: p50 at %d MiB ÷ at %d MiB".formatted(medians.lastKey(), medians.firstKey())
            : "live: p50 at the largest size ÷ at %d MiB".formatted(FLAT_FROM_MIB),
        several
            ? Ratios.of(medians.lastEntry().getValue(), medians.firstEntry().getValue())
            : Optional.empty(),
        2,
        "×",
        "");
  }

  private Goal diffSlope() {
    return new Goal(
        "diff_ms_per_mib",
        "diff: growth of the p50 per MiB",
        Ratios.slope(medians(BranchMode.DIFF)),
        0.9,
        "ms/MiB",
        "150–200 ms a branch");
  }

  private Goal depth() {
    Optional<Answered> first = answered.stream().filter(it -> it.depth() == 1).findFirst();
    Optional<Answered> deepest = answered.stream().filter(it -> it.depth() > 1).reduce((a, b) -> b);
    return new Goal(
        "depth_ratio",
        "first answer: %s ÷ depth 1"
            .formatted(deepest.map(it -> "depth " + it.depth()).orElse("a larger depth")),
        Ratios.of(deepest.flatMap(it -> it.wallMs().p50()), first.flatMap(it -> it.wallMs().p50())),
        1.15,
        "×",
        "751 → 1668 ms");
  }

  private Goal last() {
    return new Goal(
        "last_to_first",
        "one sandbox, many branches: last pause ÷ first",
        consecutive.flatMap(Consecutive::lastToFirst),
        1.5,
        "×",
        "");
  }

  private Goal lastFew() {
    return new Goal(
        "last_five_to_first_five",
        "the same, medians of five",
        consecutive.flatMap(Consecutive::endToBeginning),
        1.5,
        "×",
        "");
  }
}
