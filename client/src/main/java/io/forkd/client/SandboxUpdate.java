package io.forkd.client;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Changes to a sandbox; what is not named stays as it is. Immutable. */
public final class SandboxUpdate {
  private final JsonObject changes;

  private SandboxUpdate(JsonObject changes) {
    this.changes = changes;
  }

  public static SandboxUpdate nothing() {
    return new SandboxUpdate(JsonObject.ofPairs());
  }

  public boolean isEmpty() {
    return changes.values().isEmpty();
  }

  public SandboxUpdate memoryLimitMib(int mib) {
    return with("memory_limit_mib", mib);
  }

  public SandboxUpdate noMemoryLimit() {
    return with("memory_limit_mib", null);
  }

  public SandboxUpdate cpus(double cpus) {
    return with("cpus", cpus);
  }

  public SandboxUpdate noCpuLimit() {
    return with("cpus", null);
  }

  public SandboxUpdate pids(int most) {
    return with("pids", most);
  }

  public SandboxUpdate noPidsLimit() {
    return with("pids", null);
  }

  public SandboxUpdate ioBytesPerSec(long rate) {
    return with("io_bytes_per_sec", rate);
  }

  public SandboxUpdate noIoLimit() {
    return with("io_bytes_per_sec", null);
  }

  /** Its time is over so long from now. */
  public SandboxUpdate ttl(Duration ttl) {
    return with("ttl_secs", ttl.toSeconds());
  }

  public SandboxUpdate noTtl() {
    return with("ttl_secs", null);
  }

  public SandboxUpdate idle(Duration idle) {
    return with("idle_timeout_secs", idle.toSeconds());
  }

  public SandboxUpdate noIdle() {
    return with("idle_timeout_secs", null);
  }

  public SandboxUpdate onTimeout(OnTimeout then) {
    return with("on_timeout", then);
  }

  public SandboxUpdate egress(EgressPolicy policy) {
    return with("egress", policy.toJson());
  }

  /** All of its labels: those not named go. */
  public SandboxUpdate labels(Map<String, String> labels) {
    return with("labels", Map.copyOf(labels));
  }

  JsonObject toJson() {
    return changes;
  }

  private SandboxUpdate with(String name, @Nullable Object value) {
    Map<String, @Nullable Object> more = new LinkedHashMap<>(changes.values());
    more.put(name, value);
    return new SandboxUpdate(new JsonObject(more));
  }
}
