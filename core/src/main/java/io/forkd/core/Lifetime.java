package io.forkd.core;

import io.forkd.base.ForkdException;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * How long a sandbox lives.
 *
 * @param ttl after which its time is over, used or not
 * @param idle after which its time is over when nobody called it; calls under way count as use
 * @param atEnd what happens then
 */
public record Lifetime(Optional<Duration> ttl, Optional<Duration> idle, AtEnd atEnd) {
  /** What happens to a sandbox whose time is over. */
  public enum AtEnd {
    /** It ends. */
    KILL,
    /** It is paused: its memory is on disk, it has no process, and it can be resumed. */
    PAUSE
  }

  public static final Lifetime UNLIMITED =
      new Lifetime(Optional.empty(), Optional.empty(), AtEnd.KILL);

  public Lifetime {
    ttl.ifPresent(time -> requirePositive("ttl", time));
    idle.ifPresent(time -> requirePositive("idle timeout", time));
  }

  public static Lifetime of(Optional<Duration> ttl) {
    return new Lifetime(ttl, Optional.empty(), AtEnd.KILL);
  }

  /** The unix second at which something that is given a time to live now is over. */
  static Optional<Long> endUnix(Optional<Duration> ttl) {
    long now = Instant.now().getEpochSecond();
    return ttl.map(time -> now + Math.max(1, time.toSeconds()));
  }

  private static void requirePositive(String what, Duration time) {
    if (!time.isPositive()) {
      throw ForkdException.badRequest("the %s is %s: use a second or more.", what, time);
    }
  }
}
