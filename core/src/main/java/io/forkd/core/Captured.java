package io.forkd.core;

/**
 * A sandbox at one instant: the pages it had changed and the state of its devices.
 *
 * @param pauseMs between vCPUs stopped and vCPUs running again
 * @param captureMs from the first look at its memory to the end of the pause
 */
record Captured(
    Layer delta, byte[] deviceState, BranchMode mode, double pauseMs, double captureMs) {}
