package io.forkd.core.net;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

/** A policy that opens what an answer says, and remembers it. */
final class OpenPolicy implements NamePolicy {
  final Map<String, Map<Long, Duration>> granted = new HashMap<>();
  boolean failing;
  private final Reach reach;

  OpenPolicy(Reach reach) {
    this.reach = reach;
  }

  @Override
  public Reach reach() {
    return reach;
  }

  @Override
  public boolean grant(String name, Map<Long, Duration> found) {
    granted.put(name, found);
    return !failing;
  }
}
