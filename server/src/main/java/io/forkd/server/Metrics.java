package io.forkd.server;

import io.forkd.core.Branching;
import io.forkd.core.Forkd;
import io.forkd.core.PoolStatus;
import java.util.List;
import java.util.function.ToIntFunction;

/** The daemon's gauges in Prometheus's text format. */
final class Metrics {
  private Metrics() {}

  static String text(Forkd forkd) {
    StringBuilder out = new StringBuilder(1024);
    describe(out, "forkd_build_info", "The running release.");
    out.append("forkd_build_info{version=\"").append(Version.TEXT).append("\"} 1\n");
    gauge(out, "forkd_snapshots_total", "Snapshots kept.", forkd.snapshots().size());
    gauge(out, "forkd_sandboxes_active", "Sandboxes running.", forkd.sandboxes().size());
    Branching branching = forkd.branching();
    gauge(out, "forkd_branches_in_flight", "Branches being taken.", branching.inFlight());
    gauge(
        out,
        "forkd_branch_concurrency_cap",
        "Branches that may be taken at once.",
        branching.cap());
    List<PoolStatus> pools = forkd.pools();
    perPool(out, "forkd_pool_warm", "Children a pool is to keep.", pools, PoolStatus::warm);
    perPool(out, "forkd_pool_ready", "Children parked in a pool.", pools, PoolStatus::ready);
    perPool(
        out, "forkd_pool_filling", "Children being made for a pool.", pools, PoolStatus::filling);
    return out.toString();
  }

  private static void gauge(StringBuilder out, String name, String help, long value) {
    describe(out, name, help);
    out.append(name).append(' ').append(value).append('\n');
  }

  private static void perPool(
      StringBuilder out,
      String name,
      String help,
      List<PoolStatus> pools,
      ToIntFunction<PoolStatus> value) {
    describe(out, name, help);
    for (PoolStatus pool : pools) {
      // A tag has no character that a label value would have to escape.
      out.append("%s{tag=\"%s\"} %d\n".formatted(name, pool.tag(), value.applyAsInt(pool)));
    }
  }

  private static void describe(StringBuilder out, String name, String help) {
    out.append("# HELP %s %s\n# TYPE %s gauge\n".formatted(name, help, name));
  }
}
