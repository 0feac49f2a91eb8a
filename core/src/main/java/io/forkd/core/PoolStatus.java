package io.forkd.core;

import io.forkd.base.Tag;
import java.util.Optional;

/**
 * A pool of warm children.
 *
 * @param warm how many it is to keep
 * @param ready how many are parked now
 * @param filling how many are being made now
 * @param lastError why the last attempt to make one failed
 */
public record PoolStatus(Tag tag, int warm, int ready, int filling, Optional<String> lastError) {}
