package io.forkd.core;

import io.forkd.base.ForkdException;
import io.forkd.base.Tag;
import java.util.Optional;

/**
 * A request for {@code n} children of one snapshot.
 *
 * @param measure whether to take stock of each child when it is restored; costs milliseconds
 */
public record ForkSpec(Tag tag, int n, Optional<Integer> memoryLimitMib, boolean measure) {
  public static final int MOST = 1000;

  public ForkSpec(Tag tag, int n, Optional<Integer> memoryLimitMib) {
    this(tag, n, memoryLimitMib, false);
  }

  public ForkSpec {
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
