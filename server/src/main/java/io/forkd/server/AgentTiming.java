package io.forkd.server;

import io.forkd.server.http.Exchange;
import java.util.Locale;

/**
 * How much of an answer's time the guest's agent took, in the header {@code Server-Timing}: the
 * rest is the daemon's and the way's.
 */
final class AgentTiming {
  private AgentTiming() {}

  static void tell(Exchange exchange, long nanos) {
    exchange.setHeader(
        "Server-Timing", String.format(Locale.ROOT, "agent;dur=%.3f", nanos / 1_000_000.0));
  }
}
