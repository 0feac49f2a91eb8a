package io.forkd.core;

import java.util.List;

/** Whether the daemon can do its work, and what stands in its way. */
public record Readiness(List<Check> checks) {
  /** One thing that must hold. */
  public record Check(String name, boolean ok, String detail) {}

  public Readiness {
    checks = List.copyOf(checks);
  }

  public boolean ready() {
    return checks.stream().allMatch(Check::ok);
  }
}
