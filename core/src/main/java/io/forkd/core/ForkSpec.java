package io.forkd.core;

import io.forkd.base.ForkdException;
import io.forkd.base.Tag;
import java.time.Duration;
import java.util.Optional;

/**
 * A request for {@code n} children of one snapshot.
 *
 * @param measure whether to take stock of each child when it is restored; costs milliseconds
 * @param child what each of them is given
 */
public record ForkSpec(Tag tag, int n, boolean measure, ChildSpec child) {
  public static final int MOST = 1000;

  public ForkSpec(Tag tag, int n, Optional<Integer> memoryLimitMib) {
    this(tag, n, memoryLimitMib, false, Optional.empty());
  }

  public ForkSpec(
      Tag tag, int n, Optional<Integer> memoryLimitMib, boolean measure, Optional<Duration> ttl) {
    this(tag, n, measure, ChildSpec.of(memoryLimitMib, ttl));
  }

  ForkSpec with(ChildSpec other) {
    return new ForkSpec(tag, n, measure, other);
  }

  public ForkSpec {
    requireSane(n);
  }

  static void requireSane(int n) {
    if (n < 1 || n > MOST) {
      throw ForkdException.badRequest("n is %d: ask for 1 to %d children.", n, MOST);
    }
  }
}
