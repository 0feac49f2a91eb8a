package io.forkd.client;

import java.util.Optional;

/**
 * What a sandbox uses of the host.
 *
 * @param cpuMs processor time since it was made
 * @param privateBytes memory nobody shares with it
 * @param sharedBytes memory of its snapshot that it has mapped
 */
public record SandboxUse(
    String id,
    String state,
    double cpuMs,
    long privateBytes,
    long sharedBytes,
    int threads,
    Optional<Long> oomKills,
    JsonObject json) {
  static SandboxUse from(JsonObject json) {
    return new SandboxUse(
        json.text("id"),
        json.text("state"),
        json.optionalDecimal("cpu_ms").orElse(0.0),
        json.number("private_bytes"),
        json.number("shared_bytes"),
        json.integer("threads"),
        json.optionalNumber("oom_kills"),
        json);
  }
}
