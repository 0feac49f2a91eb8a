package io.forkd.server;

import io.forkd.core.Branching;
import io.forkd.core.Capacity;
import io.forkd.core.Forkd;
import io.forkd.core.PoolStatus;
import io.forkd.core.Sandbox;
import io.forkd.core.SandboxState;
import java.util.List;
import java.util.function.ToIntFunction;

/** All that the daemon tells of itself in numbers. */
final class Metrics {
  private final Forkd forkd;
  private final Meters meters;

  Metrics(Forkd forkd, Meters meters) {
    this.forkd = forkd;
    this.meters = meters;
  }

  String text() {
    MetricText text = new MetricText();
    writeBuild(text);
    text.gauge("forkd_snapshots_total", "Snapshots kept.", forkd.snapshots().size());
    writeSandboxes(text, forkd.sandboxes());
    writeBranching(text, forkd.branching());
    writePools(text, forkd.pools());
    writeBudgets(text, forkd.capacity().budgets());
    meters.writeTo(text);
    // A class of its own, because what it uses takes long to load and is not needed before.
    ProcessMetrics.writeTo(text);
    return text.toString();
  }

  private static void writeBuild(MetricText text) {
    text.family("forkd_build_info", "gauge", "The running release.")
        .sample("forkd_build_info", List.of("version"), List.of(Version.TEXT), 1);
  }

  private static void writeSandboxes(MetricText text, List<Sandbox> sandboxes) {
    long paused =
        sandboxes.stream().filter(sandbox -> sandbox.state() == SandboxState.PAUSED).count();
    text.gauge("forkd_sandboxes_active", "Sandboxes running.", sandboxes.size() - paused);
    text.gauge("forkd_sandboxes_paused", "Sandboxes paused.", paused);
  }

  private static void writeBranching(MetricText text, Branching branching) {
    text.gauge("forkd_branches_in_flight", "Branches being taken.", branching.inFlight());
    text.gauge(
        "forkd_branch_concurrency_cap", "Branches that may be taken at once.", branching.cap());
  }

  private static void writePools(MetricText text, List<PoolStatus> pools) {
    perPool(text, "forkd_pool_warm", "Children a pool is to keep.", pools, PoolStatus::warm);
    perPool(text, "forkd_pool_ready", "Children parked in a pool.", pools, PoolStatus::ready);
    perPool(
        text, "forkd_pool_filling", "Children being made for a pool.", pools, PoolStatus::filling);
  }

  private static void perPool(
      MetricText text,
      String name,
      String help,
      List<PoolStatus> pools,
      ToIntFunction<PoolStatus> value) {
    text.family(name, "gauge", help);
    for (PoolStatus pool : pools) {
      text.sample(name, List.of("tag"), List.of(pool.tag().value()), value.applyAsInt(pool));
    }
  }

  private static void writeBudgets(MetricText text, List<Capacity.Budget> budgets) {
    text.family("forkd_budget_used", "gauge", "How much of a budget is used.");
    for (Capacity.Budget budget : budgets) {
      text.sample("forkd_budget_used", List.of("budget"), List.of(budget.name()), budget.used());
    }
    text.family("forkd_budget_most", "gauge", "How much a budget has, when it is bounded.");
    for (Capacity.Budget budget : budgets) {
      if (budget.most() > 0) {
        text.sample("forkd_budget_most", List.of("budget"), List.of(budget.name()), budget.most());
      }
    }
  }
}
