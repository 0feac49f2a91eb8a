package io.forkd.server.e2b;

import io.forkd.base.ForkdException;
import io.forkd.guest.GuestRefusal;
import io.forkd.server.http.HttpProblem;
import java.util.Locale;

/** How the Connect protocol names what went wrong. */
enum RpcCode {
  UNKNOWN(500),
  INVALID_ARGUMENT(400),
  DEADLINE_EXCEEDED(504),
  NOT_FOUND(404),
  ALREADY_EXISTS(409),
  PERMISSION_DENIED(403),
  RESOURCE_EXHAUSTED(429),
  FAILED_PRECONDITION(400),
  UNIMPLEMENTED(501),
  INTERNAL(500),
  UNAVAILABLE(503),
  UNAUTHENTICATED(401);

  private final int status;

  RpcCode(int status) {
    this.status = status;
  }

  int status() {
    return status;
  }

  String text() {
    return name().toLowerCase(Locale.ROOT);
  }

  static RpcCode of(Throwable failure) {
    return switch (failure) {
      case RpcFailure known -> known.code();
      case GuestRefusal refusal -> ofRefusal(refusal);
      case ForkdException known -> ofForkd(known);
      case HttpProblem problem -> problem.status() == 413 ? RESOURCE_EXHAUSTED : INVALID_ARGUMENT;
      default -> INTERNAL;
    };
  }

  private static RpcCode ofRefusal(GuestRefusal refusal) {
    return switch (refusal.why()) {
      case NOT_FOUND -> NOT_FOUND;
      case EXISTS -> ALREADY_EXISTS;
      case NOT_A_FOLDER, IS_A_FOLDER, UNFIT -> INVALID_ARGUMENT;
      case NO_SPACE -> RESOURCE_EXHAUSTED;
      case DENIED -> PERMISSION_DENIED;
      case NO_SUCH_USER -> UNAUTHENTICATED;
      case BROKEN -> FAILED_PRECONDITION;
    };
  }

  private static RpcCode ofForkd(ForkdException failure) {
    return switch (failure.code()) {
      case BAD_REQUEST -> INVALID_ARGUMENT;
      case UNAUTHORIZED -> UNAUTHENTICATED;
      case NOT_FOUND -> NOT_FOUND;
      case CONFLICT -> FAILED_PRECONDITION;
      case TOO_LARGE, FULL -> RESOURCE_EXHAUSTED;
      case TIMEOUT -> DEADLINE_EXCEEDED;
      case GUEST_FAILED -> UNAVAILABLE;
      case HOST_FAILED, INTERNAL -> INTERNAL;
    };
  }
}
