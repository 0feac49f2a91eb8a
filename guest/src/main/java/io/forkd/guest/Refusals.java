package io.forkd.guest;

import io.forkd.base.ErrorCode;
import io.forkd.base.ForkdException;
import io.forkd.base.Printable;
import java.util.Optional;

/** What the host makes of the codes that an agent refuses something with. */
final class Refusals {
  private Refusals() {}

  /**
   * The failure to throw for a stream that was reset.
   *
   * @param attempt what was attempted, as in "Cannot start 'ls' in the guest at …", without a colon
   */
  static ForkdException of(Outcome.Reset reset, String attempt) {
    String said = "%s: %s.".formatted(attempt, Printable.shorten(reset.message()));
    Optional<GuestFailure> failure = failure(reset.code());
    if (failure.isPresent()) {
      return new GuestRefusal(failure.get(), said);
    }
    return switch (reset.code()) {
      case Protocol.ERROR_UNSUPPORTED -> tooOld(attempt);
      case Protocol.ERROR_LIMIT -> new ForkdException(ErrorCode.FULL, said);
      case Protocol.ERROR_MALFORMED -> new ForkdException(ErrorCode.BAD_REQUEST, said);
      default ->
          new ForkdException(
              ErrorCode.GUEST_FAILED,
              "%s: %s (code %d)."
                  .formatted(attempt, Printable.shorten(reset.message()), reset.code()));
    };
  }

  private static ForkdException tooOld(String attempt) {
    return new ForkdException(
        ErrorCode.CONFLICT,
        "%s: the agent in it is older than this forkd; its snapshot was made by an older forkd:"
                .formatted(attempt)
            + " make it anew.");
  }

  private static Optional<GuestFailure> failure(int code) {
    return switch (code) {
      case Protocol.ERROR_BROKEN -> Optional.of(GuestFailure.BROKEN);
      case Protocol.ERROR_NOT_FOUND -> Optional.of(GuestFailure.NOT_FOUND);
      case Protocol.ERROR_EXISTS -> Optional.of(GuestFailure.EXISTS);
      case Protocol.ERROR_NOT_A_FOLDER -> Optional.of(GuestFailure.NOT_A_FOLDER);
      case Protocol.ERROR_IS_A_FOLDER -> Optional.of(GuestFailure.IS_A_FOLDER);
      case Protocol.ERROR_NO_SPACE -> Optional.of(GuestFailure.NO_SPACE);
      case Protocol.ERROR_DENIED -> Optional.of(GuestFailure.DENIED);
      case Protocol.ERROR_NO_SUCH_USER -> Optional.of(GuestFailure.NO_SUCH_USER);
      case Protocol.ERROR_UNFIT -> Optional.of(GuestFailure.UNFIT);
      default -> Optional.empty();
    };
  }
}
