package io.forkd.bench;

import io.forkd.client.JsonObject;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** What {@code bench churn} found out. */
record ChurnReport(
    Machine machine,
    ChurnOptions options,
    Samples forkMs,
    Samples killMs,
    LeakCounters before,
    LeakCounters after) {
  private static final int PART = 100;
  private static final double MOST_WEAR = 1.3;

  boolean clean() {
    return after.clean(before);
  }

  /**
   * Of the forks, the first or last hundred, or half of them when there are fewer than two hundred.
   */
  private Samples part(boolean last) {
    int many = Math.max(1, Math.min(PART, forkMs.count() / 2));
    return last
        ? new Samples(forkMs.values().subList(forkMs.count() - many, forkMs.count()))
        : new Samples(forkMs.values().subList(0, Math.min(many, forkMs.count())));
  }

  /** Whether forking gets slower the more was forked before. */
  Goal wear() {
    Optional<Double> ratio =
        part(true).p99().flatMap(last -> part(false).p99().map(first -> last / first));
    return new Goal(
        "last_to_first_p99", "p99 of the last ÷ first forks", ratio, MOST_WEAR, "×", "");
  }

  String text() {
    TextTable times = new TextTable("", "p50", "p99", "max");
    times.row("fork", cells(forkMs)[0], cells(forkMs)[1], cells(forkMs)[2]);
    times.row("  the first", cells(part(false))[0], cells(part(false))[1], cells(part(false))[2]);
    times.row("  the last", cells(part(true))[0], cells(part(true))[1], cells(part(true))[2]);
    times.row("kill", cells(killMs)[0], cells(killMs)[1], cells(killMs)[2]);
    TextTable counts = new TextTable("", "before", "after");
    Map<String, Long> now = after.byName();
    before
        .byName()
        .forEach((name, count) -> counts.row(name, "" + count, "" + now.getOrDefault(name, 0L)));
    return "%d forks and kills, one at a time; %s, %d cores, guests by %s, load before %s%n%n"
            .formatted(
                options.n(), machine.arch(), machine.cores(), machine.accel(), machine.loadBefore())
        + times.text()
        + wear()
            .measured()
            .map(
                it ->
                    "p99 of the last ÷ first: %.2f (goal: at most %.1f)%n".formatted(it, MOST_WEAR))
            .orElse("")
        + "\n"
        + counts.text()
        + "\n"
        + (clean() ? "Nothing was left behind.\n" : "Something was left behind: see above.\n");
  }

  private static String[] cells(Samples samples) {
    return new String[] {
      Numbers.millis(samples.p50()), Numbers.millis(samples.p99()), Numbers.millis(samples.max())
    };
  }

  JsonObject json() {
    return JsonObject.ofPairs(
        "benchmark",
        "churn",
        "format",
        1,
        "machine",
        SpawnJson.machine(machine),
        "options",
        JsonObject.ofPairs("tag", options.tag(), "n", options.n()),
        "fork_ms",
        SpawnJson.samples(forkMs),
        "first_fork_ms",
        SpawnJson.samples(part(false)),
        "last_fork_ms",
        SpawnJson.samples(part(true)),
        "goals",
        List.of(BranchJson.goal(wear())),
        "kill_ms",
        SpawnJson.samples(killMs),
        "before",
        before.byName(),
        "after",
        after.byName(),
        "clean",
        clean());
  }
}
