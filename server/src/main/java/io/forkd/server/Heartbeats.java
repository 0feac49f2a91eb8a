package io.forkd.server;

import java.time.Duration;

/**
 * How long streamed answers may be silent, so that both ends notice when the other is gone.
 *
 * @param progress of work that the client waits for
 * @param events of what happens in the daemon
 */
record Heartbeats(Duration progress, Duration events) {
  static final Heartbeats DEFAULT = new Heartbeats(Duration.ofSeconds(2), Duration.ofSeconds(15));
}
