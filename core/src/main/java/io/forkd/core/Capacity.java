package io.forkd.core;

import java.util.List;

/** How much of each budget of the daemon is used. */
public record Capacity(List<Budget> budgets) {
  /**
   * One thing there is only so much of.
   *
   * @param name such as {@code sandboxes}, {@code memory_limits_mib}, {@code host_memory_mib}
   * @param most 0 means that there is no bound
   */
  public record Budget(String name, long used, long most) {}

  public Capacity {
    budgets = List.copyOf(budgets);
  }
}
