package io.forkd.client;

import java.util.Optional;

/**
 * What a warmed runtime answered to a piece of code.
 *
 * @param result the repr of the last expression
 * @param error the exception in one line
 */
public record EvalOutcome(
    Optional<String> result,
    Optional<String> error,
    Optional<String> traceback,
    String stdout,
    String stderr,
    int exitCode,
    JsonObject json) {
  static EvalOutcome from(JsonObject json) {
    return new EvalOutcome(
        json.optionalText("result").filter(text -> !text.isEmpty()),
        json.optionalText("error").filter(text -> !text.isEmpty()),
        json.optionalText("traceback").filter(text -> !text.isEmpty()),
        json.text("stdout"),
        json.text("stderr"),
        json.integer("exit_code"),
        json);
  }
}
