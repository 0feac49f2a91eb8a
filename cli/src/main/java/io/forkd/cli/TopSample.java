package io.forkd.cli;

import io.forkd.client.BudgetInfo;
import io.forkd.client.ForkdClient;
import io.forkd.client.SandboxInfo;
import io.forkd.client.SandboxUse;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * What all sandboxes used at one moment.
 *
 * @param nanos when that was, by {@link System#nanoTime}
 */
record TopSample(
    long nanos,
    List<SandboxInfo> sandboxes,
    Map<String, SandboxUse> use,
    List<BudgetInfo> budgets) {
  static TopSample take(ForkdClient client) {
    Map<String, SandboxUse> use =
        client.usage().sandboxes().stream()
            .collect(Collectors.toMap(SandboxUse::id, Function.identity(), (a, _) -> a));
    return new TopSample(System.nanoTime(), client.sandboxes(), use, client.usage().budgets());
  }
}
