package io.forkd.bench;

import io.forkd.client.JsonObject;
import io.forkd.client.SandboxInfo;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Children as they were when their device state had been loaded and they had not run yet, by the
 * daemon's own account.
 */
record Restored(Samples cpuMs, Samples anonymousKib, Samples guestRamKib) {
  /** Empty when the daemon reports no such thing. */
  static Optional<Restored> of(List<SandboxInfo> children) {
    List<Map<String, Double>> told =
        children.stream()
            .map(SandboxInfo::json)
            .filter(json -> json.object("restored").isPresent())
            .map(Restored::decimals)
            .toList();
    return told.isEmpty()
        ? Optional.empty()
        : Optional.of(
            new Restored(
                pick(told, "cpu_ms"), pick(told, "anonymous_kib"), pick(told, "guest_ram_kib")));
  }

  private static Map<String, Double> decimals(JsonObject json) {
    return json.decimals("restored");
  }

  private static Samples pick(List<Map<String, Double>> told, String name) {
    return Samples.of(
        told.stream().filter(map -> map.containsKey(name)).map(map -> map.get(name)).toList());
  }
}
