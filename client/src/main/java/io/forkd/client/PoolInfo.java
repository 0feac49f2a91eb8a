package io.forkd.client;

import java.util.Optional;

/**
 * A pool of warm children.
 *
 * @param warm how many it is to keep
 * @param ready how many are parked now
 * @param filling how many are being made now
 * @param lastError why the last attempt to make one failed
 */
public record PoolInfo(
    String tag, int warm, int ready, int filling, Optional<String> lastError, JsonObject json) {
  static PoolInfo from(JsonObject json) {
    return new PoolInfo(
        json.text("tag"),
        json.integer("warm"),
        json.integer("ready"),
        json.integer("filling"),
        json.optionalText("last_error"),
        json);
  }
}
