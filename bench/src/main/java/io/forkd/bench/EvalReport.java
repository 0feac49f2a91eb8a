package io.forkd.bench;

import io.forkd.client.JsonObject;
import java.util.List;

/**
 * What {@code bench eval} found out.
 *
 * @param restMs from the request to its answer, as a client sees it
 * @param agentMs the agent's part of each, as the daemon measured it
 * @param addedMs the difference, request by request
 */
record EvalReport(
    Machine machine, EvalOptions options, Samples restMs, Samples agentMs, Samples addedMs) {
  private static final double MOST_MS = 3;

  Goal goal() {
    return new Goal(
        "rest_over_agent", "REST over the bare agent, p50", addedMs.p50(), MOST_MS, "ms", "");
  }

  String text() {
    TextTable table = new TextTable("", "p50", "p99", "max");
    row(table, "through REST", restMs);
    row(table, "of it the agent", agentMs);
    row(table, "added by REST", addedMs);
    return "%d evals of %s, one after the other, in a running child of %s%n%s%n%n%s%nGoal: at most %.0f ms added, p50: %s.%n"
        .formatted(
            options.n(),
            Workload.EXPRESSION,
            options.tag(),
            machine.line(),
            table.text(),
            MOST_MS,
            goal().met().map(met -> met ? "met" : "missed").orElse("not measured"));
  }

  private static void row(TextTable table, String name, Samples samples) {
    table.row(
        name,
        Numbers.millis(samples.p50()),
        Numbers.millis(samples.p99()),
        Numbers.millis(samples.max()));
  }

  JsonObject json() {
    return JsonObject.ofPairs(
        "benchmark",
        "eval",
        "format",
        1,
        "machine",
        SpawnJson.machine(machine),
        "options",
        JsonObject.ofPairs("tag", options.tag(), "n", options.n()),
        "rest_ms",
        SpawnJson.samples(restMs),
        "agent_ms",
        SpawnJson.samples(agentMs),
        "added_ms",
        SpawnJson.samples(addedMs),
        "goals",
        List.of(BranchJson.goal(goal())));
  }
}
