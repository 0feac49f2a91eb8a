package io.forkd.client;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What a warmed runtime answered to a piece of code.
 *
 * @param result the repr of the last expression
 * @param error the exception in one line
 * @param agentMillis how long the guest's agent took, as the daemon measured it
 */
public record EvalOutcome(
    Optional<String> result,
    Optional<String> error,
    Optional<String> traceback,
    String stdout,
    String stderr,
    int exitCode,
    Optional<Double> agentMillis,
    JsonObject json) {
  private static final Pattern AGENT = Pattern.compile("agent;dur=([0-9]{1,12}(?:\\.[0-9]{1,9})?)");

  static EvalOutcome from(Reply reply) {
    JsonObject json = Json.parseObject(reply.text());
    return new EvalOutcome(
        json.optionalText("result").filter(text -> !text.isEmpty()),
        json.optionalText("error").filter(text -> !text.isEmpty()),
        json.optionalText("traceback").filter(text -> !text.isEmpty()),
        json.text("stdout"),
        json.text("stderr"),
        json.integer("exit_code"),
        reply
            .header("Server-Timing")
            .map(AGENT::matcher)
            .filter(Matcher::find)
            .map(found -> Double.valueOf(found.group(1))),
        json);
  }
}
