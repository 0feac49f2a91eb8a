package io.forkd.client;

import java.time.Duration;

/** What a daemon says of itself. */
public record DaemonStatus(
    String version,
    long pid,
    Duration uptime,
    String data,
    String run,
    String vmm,
    JsonObject json) {
  static DaemonStatus from(JsonObject json) {
    return new DaemonStatus(
        json.text("version"),
        json.number("pid"),
        Duration.ofSeconds(json.number("uptime_secs")),
        json.text("data"),
        json.text("run"),
        json.optionalText("vmm").orElse("none"),
        json);
  }
}
