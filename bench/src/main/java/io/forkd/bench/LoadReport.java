package io.forkd.bench;

import io.forkd.client.JsonObject;
import java.util.List;

/**
 * What {@code bench load} found out.
 *
 * @param evalMs how long each answer took
 * @param stalled clients that sent a request and read nothing all the time
 * @param errors what went wrong, at most a few
 */
record LoadReport(
    Machine machine, LoadOptions options, Samples evalMs, int stalled, List<String> errors) {
  LoadReport {
    errors = List.copyOf(errors);
  }

  String text() {
    TextTable table = new TextTable("", "count", "per second", "p50", "p99", "max");
    table.row(
        "eval",
        "" + evalMs.count(),
        "" + evalMs.count() / options.seconds(),
        Numbers.millis(evalMs.p50()),
        Numbers.millis(evalMs.p99()),
        Numbers.millis(evalMs.max()));
    StringBuilder text = new StringBuilder();
    text.append(
        "%d clients asked %d sandboxes of %s for %d s, beside %d that read nothing%n"
            .formatted(
                options.clients(), options.sandboxes(), options.tag(), options.seconds(), stalled));
    text.append(machine.line()).append("\n\n").append(table.text()).append('\n');
    text.append(errors.isEmpty() ? "No errors.\n" : "");
    errors.forEach(error -> text.append("Failed: ").append(error).append('\n'));
    return text.toString();
  }

  JsonObject json() {
    return JsonObject.ofPairs(
        "benchmark",
        "load",
        "format",
        1,
        "machine",
        SpawnJson.machine(machine),
        "options",
        JsonObject.ofPairs(
            "tag",
            options.tag(),
            "clients",
            options.clients(),
            "seconds",
            options.seconds(),
            "sandboxes",
            options.sandboxes()),
        "eval_ms",
        SpawnJson.samples(evalMs),
        "stalled",
        stalled,
        "errors",
        errors);
  }
}
