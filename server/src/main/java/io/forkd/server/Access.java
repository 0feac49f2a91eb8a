package io.forkd.server;

import io.forkd.base.ErrorCode;
import io.forkd.base.ForkdException;
import io.forkd.core.Forkd;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Optional;

/**
 * All that decides who may do what.
 *
 * @param token the file that holds the one token, if there is one
 * @param door whom the TCP port lets in while there is neither a token nor a key
 */
record Access(
    Optional<TokenFile> token, ApiKeys keys, Principals.Door door, Throttle.Limits limits) {
  /** Keys that are forgotten when the daemon ends, and programs on this host let in without. */
  static Access local(Optional<TokenFile> token) {
    return new Access(
        token,
        new ApiKeys(KeyStore.inMemory(), InstantSource.system()),
        Principals.Door.LOCAL,
        Throttle.Limits.DEFAULT);
  }

  AccessGuard guard() {
    return new AccessGuard(
        new Principals(token, keys, door, ownUser()), keys, new Throttle(limits, System::nanoTime));
  }

  /** The core as each caller may see it, measured. */
  static View view(Forkd core, Meters meters) {
    return exchange -> new OwnedForkd(core, meters, Principal.of(exchange));
  }

  private static long ownUser() {
    try {
      return Integer.toUnsignedLong(
          (Integer) Files.getAttribute(Path.of("/proc/self"), "unix:uid"));
    } catch (IOException e) {
      throw new ForkdException(
          ErrorCode.HOST_FAILED, "Cannot tell which user the daemon is: %s.".formatted(e), e);
    }
  }
}
