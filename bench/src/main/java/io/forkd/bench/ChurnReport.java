package io.forkd.bench;

import io.forkd.client.JsonObject;
import java.util.Map;

/** What {@code bench churn} found out. */
record ChurnReport(
    Machine machine,
    ChurnOptions options,
    Samples forkMs,
    Samples killMs,
    LeakCounters before,
    LeakCounters after) {

  boolean clean() {
    return after.clean(before);
  }

  String text() {
    TextTable times = new TextTable("", "p50", "p99", "max");
    times.row("fork", cells(forkMs)[0], cells(forkMs)[1], cells(forkMs)[2]);
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
