package io.forkd.client;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/**
 * What a sandbox is to be given; what is left empty is the daemon's to decide.
 *
 * @param memoryLimitMib memory of its own
 * @param cpus processors, in parts of one
 * @param pids threads on the host
 * @param ioBytesPerSec read from and written to the host's disks, each
 * @param ttl after which its time is over
 * @param idle after which its time is over when nobody calls it
 * @param onTimeout what happens then
 * @param egress whom it may reach
 * @param env variables that everything started in it has
 */
public record ChildRequest(
    Optional<Integer> memoryLimitMib,
    Optional<Double> cpus,
    Optional<Integer> pids,
    Optional<Long> ioBytesPerSec,
    Optional<Duration> ttl,
    Optional<Duration> idle,
    Optional<OnTimeout> onTimeout,
    Optional<EgressPolicy> egress,
    Map<String, String> labels,
    Map<String, String> env) {

  /** Nothing but what the daemon gives every sandbox. */
  public static final ChildRequest PLAIN = of(Optional.empty(), Optional.empty());

  public ChildRequest {
    labels = Map.copyOf(labels);
    env = Map.copyOf(env);
  }

  /** One with a memory limit and a time to live, when there are any. */
  public static ChildRequest of(Optional<Integer> memoryLimitMib, Optional<Duration> ttl) {
    return new ChildRequest(
        memoryLimitMib,
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        ttl,
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        Map.of(),
        Map.of());
  }

  JsonObject addTo(JsonObject body) {
    return body.with("memory_limit_mib", memoryLimitMib)
        .with("cpus", cpus)
        .with("pids", pids)
        .with("io_bytes_per_sec", ioBytesPerSec)
        .with("ttl_secs", ttl.map(Duration::toSeconds))
        .with("idle_timeout_secs", idle.map(Duration::toSeconds))
        .with("on_timeout", onTimeout)
        .with("egress", egress.map(EgressPolicy::toJson))
        .with("labels", Optional.of(labels).filter(pairs -> !pairs.isEmpty()))
        .with("env", Optional.of(env).filter(pairs -> !pairs.isEmpty()));
  }
}
