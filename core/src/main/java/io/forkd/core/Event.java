package io.forkd.core;

import java.time.Instant;
import java.util.Map;
import java.util.Optional;

/**
 * Something that happened.
 *
 * @param number rises by one with each event of a daemon's life
 * @param type such as {@code sandbox.created}; see {@link Events}
 * @param subject the id, tag or name it happened to
 * @param owner whose that is
 */
public record Event(
    long number,
    Instant at,
    String type,
    String subject,
    Optional<String> owner,
    Map<String, String> details) {
  public Event {
    details = Map.copyOf(details);
  }
}
