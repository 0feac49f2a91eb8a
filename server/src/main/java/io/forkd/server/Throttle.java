package io.forkd.server;

import io.forkd.server.http.Exchange;
import io.forkd.server.http.HttpProblem;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Keeps one caller from using up the daemon: so many requests a second, so many at once. Whoever
 * may do everything on this host anyway is not held up.
 */
final class Throttle {
  /** For who is not held up. */
  static final Pass FREE_PASS = () -> {};

  private static final int MOST_ADDRESSES = 4096;
  private static final int STRANGERS_PER_SECOND = 20;
  private static final int STRANGERS_BURST = 100;

  private final Limits limits;
  private final LongSupplier nanoClock;
  private final Map<String, Caller> callers = new ConcurrentHashMap<>();

  /** Who showed no valid secret, by address; the eldest is forgotten. */
  @SuppressWarnings("serial")
  private final Map<String, TokenBucket> strangers =
      new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, TokenBucket> eldest) {
          return size() > MOST_ADDRESSES;
        }
      };

  /**
   * What one caller may do.
   *
   * @param perSecond 0 means that nobody is held up
   * @param burst requests it may have saved up
   * @param atOnce requests under way
   */
  record Limits(int perSecond, int burst, int atOnce) {
    static final Limits DEFAULT = new Limits(1000, 2000, 1000);
  }

  /** Leave to handle one request. */
  interface Pass extends AutoCloseable {
    /** The request is a stream that may go on for ever: such ones are counted by themselves. */
    default void lasts() {}

    @Override
    void close();
  }

  Throttle(Limits limits, LongSupplier nanoClock) {
    this.limits = limits;
    this.nanoClock = nanoClock;
  }

  /** Lets a caller's request in, or says when to come back. */
  Pass enter(Principal principal, boolean overUnixSocket) {
    boolean master =
        principal.name().equals(Principals.ANONYMOUS)
            || (overUnixSocket && principal.role() == Role.ADMIN);
    if (master || limits.perSecond() == 0) {
      return FREE_PASS;
    }
    Caller caller = callers.computeIfAbsent(principal.name(), _ -> new Caller());
    take(caller.bucket, "%s sends more than %d requests a second", principal.name());
    return caller.new Entered(principal.name());
  }

  /** Makes a request a stream, which a caller may only have so many of. */
  static void lasts(Exchange exchange) {
    exchange.noted(Pass.class).ifPresent(Pass::lasts);
  }

  /** Counts a request that shows no valid secret against its address. */
  void stranger(String address) {
    if (limits.perSecond() == 0) {
      return;
    }
    TokenBucket bucket;
    synchronized (strangers) {
      bucket =
          strangers.computeIfAbsent(
              address, _ -> new TokenBucket(STRANGERS_PER_SECOND, STRANGERS_BURST, nanoClock));
    }
    take(
        bucket,
        "%s sends too many requests without a valid token (%d a second are heard)",
        address);
  }

  private static void take(TokenBucket bucket, String why, String who) {
    long wait = bucket.take();
    if (wait > 0) {
      long seconds = TimeUnit.NANOSECONDS.toSeconds(wait) + 1;
      throw tooMany(why.formatted(who, bucket.perSecond()), seconds);
    }
  }

  private static HttpProblem tooMany(String why, long seconds) {
    return new HttpProblem(
        429,
        "%s: try again in %d s.".formatted(why, seconds),
        Map.of("Retry-After", Long.toString(seconds)));
  }

  /** One principal's share. */
  private final class Caller {
    private final TokenBucket bucket =
        new TokenBucket(limits.perSecond(), limits.burst(), nanoClock);
    private int underWay;
    private int streams;

    /** One request of it. */
    private final class Entered implements Pass {
      private final String name;
      private boolean stream;

      Entered(String name) {
        this.name = name;
        synchronized (Caller.this) {
          if (underWay >= limits.atOnce()) {
            throw tooMany("%s has %d requests under way".formatted(name, underWay), 1);
          }
          underWay++;
        }
      }

      @Override
      public void lasts() {
        synchronized (Caller.this) {
          if (streams >= limits.atOnce()) {
            throw tooMany("%s has %d streams open".formatted(name, streams), 1);
          }
          streams++;
          underWay--;
          stream = true;
        }
      }

      @Override
      public void close() {
        synchronized (Caller.this) {
          if (stream) {
            streams--;
          } else {
            underWay--;
          }
        }
      }
    }
  }
}
