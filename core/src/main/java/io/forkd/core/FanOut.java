package io.forkd.core;

/** A branch and its first children. */
public record FanOut(Snapshot snapshot, ForkResult children) {}
