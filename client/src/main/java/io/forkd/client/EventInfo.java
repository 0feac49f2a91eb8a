package io.forkd.client;

import java.time.Instant;
import java.util.Map;
import java.util.Optional;

/**
 * Something that happened in a daemon.
 *
 * @param number rises by one with each event of a daemon's life
 * @param type such as {@code sandbox.created}
 * @param subject the id, tag or name it happened to
 */
public record EventInfo(
    long number,
    Instant at,
    String type,
    String subject,
    Optional<String> owner,
    Map<String, String> details,
    JsonObject json) {
  static EventInfo from(JsonObject json) {
    return new EventInfo(
        json.number("number"),
        Instant.ofEpochMilli(Math.round(json.optionalDecimal("at_unix").orElse(0.0) * 1000)),
        json.text("type"),
        json.text("subject"),
        json.optionalText("owner"),
        json.pairs("details"),
        json);
  }
}
