package io.forkd.core;

import java.util.Optional;

/**
 * What the operator of a daemon decides.
 *
 * @param limits what a sandbox may use when its maker does not say
 * @param egress whom it may reach when its maker does not say
 * @param mostSandboxes running at once, parked ones and paused ones not counted
 * @param mostMemoryMib the sum of the running sandboxes' memory limits
 * @param reservedMemoryMib of the host's memory that must stay available for a fork to be admitted
 * @param network whether sandboxes get a network at all
 */
public record Policy(
    Limits limits,
    Egress egress,
    Optional<Integer> mostSandboxes,
    Optional<Long> mostMemoryMib,
    Optional<Long> reservedMemoryMib,
    boolean network) {
  /** What a sandbox is given when its maker left things open. */
  ChildSpec complete(ChildSpec asked) {
    return new ChildSpec(
        asked.limits().or(limits),
        asked.lifetime(),
        asked.egress().or(() -> Optional.of(egress)),
        asked.labels(),
        asked.owner());
  }

  /** What a sandbox is given when its limits are changed and some of them left open. */
  SandboxChange complete(SandboxChange asked) {
    return new SandboxChange(
        asked.limits().map(named -> named.or(limits)),
        asked.lifetime(),
        asked.egress(),
        asked.labels());
  }

  public static final Policy DEFAULT =
      new Policy(
          Limits.NONE, Egress.INTERNET, Optional.empty(), Optional.empty(), Optional.empty(), true);
}
