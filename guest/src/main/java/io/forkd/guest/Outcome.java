package io.forkd.guest;

import io.forkd.base.ForkdException;

/** How a stream ended. */
sealed interface Outcome {
  /** The guest finished what was asked. */
  record Result(byte[] payload) implements Outcome {}

  /** The guest could not do it, or not to its end. */
  record Reset(int code, String message) implements Outcome {}

  /** The connection is gone. */
  record Broken(ForkdException cause) implements Outcome {}
}
