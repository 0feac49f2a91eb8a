package io.forkd.core;

/**
 * What this host can do about branches.
 *
 * @param way the best there is here; a sandbox may have another
 * @param reason why it is the best
 * @param inFlight branches being taken now
 * @param cap how many may be
 */
public record Branching(BranchWay way, String reason, int inFlight, int cap) {
  /** The mode in force when none is asked for. */
  public BranchMode best() {
    return way.mode();
  }
}
