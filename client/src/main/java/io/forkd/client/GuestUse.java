package io.forkd.client;

/** What a sandbox uses of what it has, as seen from inside; sizes in bytes. */
public record GuestUse(
    int cpus,
    double cpuUsedPercent,
    long memoryTotal,
    long memoryUsed,
    long memoryCache,
    long diskTotal,
    long diskUsed,
    JsonObject json) {
  static GuestUse from(JsonObject json) {
    return new GuestUse(
        json.integer("cpus"),
        json.optionalDecimal("cpu_used_percent").orElse(0.0),
        json.number("memory_total"),
        json.number("memory_used"),
        json.number("memory_cache"),
        json.number("disk_total"),
        json.number("disk_used"),
        json);
  }
}
