package io.forkd.client;

import java.util.Optional;

/**
 * One thing that a daemon has only so much of.
 *
 * @param most empty means that there is no bound
 */
public record BudgetInfo(String name, long used, Optional<Long> most, JsonObject json) {
  static BudgetInfo from(JsonObject json) {
    return new BudgetInfo(
        json.text("name"), json.number("used"), json.optionalNumber("most"), json);
  }
}
