package io.forkd.client;

import org.jspecify.annotations.Nullable;

/** A request that did not succeed: the daemon's own words and status, or why there are none. */
public final class ForkdClientException extends RuntimeException {
  /** The status of a request that never reached a daemon. */
  public static final int UNREACHABLE = 0;

  /** The status of a request whose answer was late, cut short or not forkd's. */
  public static final int BROKEN = -1;

  private final int status;

  public ForkdClientException(int status, String message) {
    this(status, message, null);
  }

  public ForkdClientException(int status, String message, @Nullable Throwable cause) {
    super(message, cause);
    this.status = status;
  }

  /** The HTTP status, {@link #UNREACHABLE} or {@link #BROKEN}. */
  public int status() {
    return status;
  }

  /** What went wrong and what to do, never null. */
  @Override
  public String getMessage() {
    String message = super.getMessage();
    return message == null ? "status " + status : message;
  }

  static ForkdClientException unreachable(Endpoint endpoint, Exception cause) {
    return new ForkdClientException(
        UNREACHABLE,
        "No daemon answers on %s (%s). Next: `forkd daemon start`, and `forkd daemon logs` if it does not stay."
            .formatted(endpoint, reason(cause)),
        cause);
  }

  static ForkdClientException broken(String what, Endpoint endpoint, Exception cause) {
    return new ForkdClientException(
        BROKEN,
        "%s on %s got no complete answer (%s). Next: `forkd daemon status`, and `forkd daemon logs` for the reason."
            .formatted(what, endpoint, reason(cause)),
        cause);
  }

  private static String reason(Exception cause) {
    String message = cause.getMessage();
    return message == null ? cause.getClass().getSimpleName() : message;
  }
}
