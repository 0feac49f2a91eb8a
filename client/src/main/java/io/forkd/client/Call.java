package io.forkd.client;

import java.time.Duration;
import java.util.Optional;

/**
 * One request.
 *
 * @param path with query, from the root
 * @param key by which the daemon knows the request when it is sent again
 * @param streamed whether the answer is asked for as lines, which then each may take {@code
 *     timeout}; otherwise the whole answer may
 */
record Call(
    String method,
    String path,
    Optional<byte[]> body,
    Optional<String> key,
    boolean streamed,
    Duration timeout) {
  static final String NDJSON = "application/x-ndjson";
  static final String EVENTS = "text/event-stream";
  static final String KEY_HEADER = "Idempotency-Key";

  String accept() {
    if (!streamed) {
      return "application/json";
    }
    return method.equals("GET") ? EVENTS : NDJSON;
  }

  /** Whether sending it twice does no harm. */
  boolean repeatable() {
    return !method.equals("POST") || key.isPresent();
  }

  @Override
  public String toString() {
    return method + " " + path;
  }
}
