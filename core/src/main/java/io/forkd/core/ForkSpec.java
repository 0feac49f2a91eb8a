package io.forkd.core;

import io.forkd.base.ForkdException;
import io.forkd.base.Tag;
import java.time.Duration;
import java.util.Optional;

/**
 * A request for {@code n} children of one snapshot.
 *
 * @param measure whether to take stock of each child when it is restored; costs milliseconds
 * @param ttl after which the children end
 */
public record ForkSpec(
    Tag tag, int n, Optional<Integer> memoryLimitMib, boolean measure, Optional<Duration> ttl) {
  public static final int MOST = 1000;

  public ForkSpec(Tag tag, int n, Optional<Integer> memoryLimitMib) {
    this(tag, n, memoryLimitMib, false, Optional.empty());
  }

  public ForkSpec {
    requireSane(n, memoryLimitMib);
  }

  static void requireSane(int n, Optional<Integer> memoryLimitMib) {
    if (n < 1 || n > MOST) {
      throw ForkdException.badRequest("n is %d: ask for 1 to %d children.", n, MOST);
    }
    memoryLimitMib.ifPresent(
        limit -> {
          if (limit < 16 || limit > 1 << 20) {
            throw ForkdException.badRequest(
                "memory_limit_mib is %d: use 16 to %d.", limit, 1 << 20);
          }
        });
  }
}
