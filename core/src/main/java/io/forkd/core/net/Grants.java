package io.forkd.core.net;

import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * The addresses a sandbox learned for allowed names, each until its time is over. Not for use by
 * several threads at once.
 */
final class Grants {
  /** Programs connect a while after they asked. */
  static final Duration SHORTEST = Duration.ofSeconds(30);

  /** What an address stays open beyond the time the guest may remember it. */
  static final Duration BEYOND = Duration.ofSeconds(30);

  /** When the time of each name of an address ends. */
  private final Map<Long, Map<String, Long>> endings = new HashMap<>();

  private final LongSupplier nanos;

  Grants(LongSupplier nanos) {
    this.nanos = nanos;
  }

  /**
   * Of what an answer says, that which the rules do not have long enough yet.
   *
   * @param found addresses with the time the guest may remember each
   * @return how long each shall be open
   */
  Map<Long, Duration> missing(Map<Long, Duration> found) {
    Map<Long, Duration> missing = new HashMap<>();
    found.forEach(
        (address, ttl) -> {
          Duration kept = ttl.compareTo(SHORTEST) < 0 ? SHORTEST : ttl;
          if (left(address).compareTo(kept) < 0) {
            missing.put(address, kept.plus(BEYOND));
          }
        });
    return missing;
  }

  /**
   * Notes whose addresses they are.
   *
   * @param opened those the rules got just now, and for how long; they had the others already
   */
  void remember(String name, Collection<Long> addresses, Map<Long, Duration> opened) {
    forgetEnded();
    long now = nanos.getAsLong();
    for (long address : addresses) {
      long end = now + opened.getOrDefault(address, left(address)).toNanos();
      endings.computeIfAbsent(address, _ -> new HashMap<>()).put(name, end);
    }
  }

  /** Forgets the names that are not answered any more; the others' addresses with their time. */
  Map<Long, Duration> keep(Reach reach) {
    endings.values().forEach(names -> names.keySet().removeIf(name -> !reach.answers(name)));
    forgetEnded();
    Map<Long, Duration> kept = new HashMap<>();
    for (long address : endings.keySet()) {
      if (reach.needsGrant(address)) {
        kept.put(address, left(address));
      }
    }
    return kept;
  }

  int size() {
    return endings.size();
  }

  private Duration left(long address) {
    long now = nanos.getAsLong();
    return endings.getOrDefault(address, Map.of()).values().stream()
        .map(end -> Duration.ofNanos(end - now))
        .max(Duration::compareTo)
        .orElse(Duration.ZERO);
  }

  private void forgetEnded() {
    long now = nanos.getAsLong();
    endings.values().forEach(names -> names.values().removeIf(end -> end - now <= 0));
    endings.values().removeIf(Map::isEmpty);
  }
}
