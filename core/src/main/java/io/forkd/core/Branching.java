package io.forkd.core;

/**
 * What this host can do about branches.
 *
 * @param best the mode in force when none is asked for
 * @param reason why it is the best
 * @param inFlight branches being taken now
 * @param cap how many may be
 */
public record Branching(BranchMode best, String reason, int inFlight, int cap) {}
