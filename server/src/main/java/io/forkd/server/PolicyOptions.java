package io.forkd.server;

import io.forkd.core.Egress;
import io.forkd.core.Limits;
import io.forkd.core.Policy;

/** Reads what operators decide about sandboxes out of the daemon's settings. */
final class PolicyOptions {
  private static final int MOST_SANDBOXES = 1_000_000;
  private static final long MOST_MIB = 1L << 40;

  private PolicyOptions() {}

  static Policy read(DaemonSettings settings) {
    return new Policy(
        limits(settings),
        settings
            .text(DaemonOption.DEFAULT_EGRESS)
            .map(text -> EgressText.parse(DaemonOption.DEFAULT_EGRESS.flag(), text))
            .orElse(Egress.INTERNET),
        settings.integer(DaemonOption.MAX_SANDBOXES, 1, MOST_SANDBOXES),
        settings.count(DaemonOption.MEMORY_BUDGET, 1, MOST_MIB),
        settings.count(DaemonOption.MEMORY_RESERVE, 0, MOST_MIB),
        !settings.flag(DaemonOption.NO_NETWORK));
  }

  private static Limits limits(DaemonSettings settings) {
    return new Limits(
        settings.integer(
            DaemonOption.DEFAULT_MEMORY, Limits.LEAST_MEMORY_MIB, Limits.MOST_MEMORY_MIB),
        settings.decimal(DaemonOption.DEFAULT_CPUS, Limits.LEAST_CPUS, Limits.MOST_CPUS),
        settings.integer(DaemonOption.DEFAULT_PIDS, Limits.LEAST_PIDS, Limits.MOST_PIDS),
        settings.count(DaemonOption.DEFAULT_IO, Limits.LEAST_IO, Long.MAX_VALUE));
  }
}
