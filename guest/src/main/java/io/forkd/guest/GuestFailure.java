package io.forkd.guest;

import io.forkd.base.ErrorCode;

/** Why the guest did not do something with a file or process: what {@link GuestRefusal} carries. */
public enum GuestFailure {
  NOT_FOUND(ErrorCode.NOT_FOUND),
  EXISTS(ErrorCode.CONFLICT),
  NOT_A_FOLDER(ErrorCode.BAD_REQUEST),
  IS_A_FOLDER(ErrorCode.BAD_REQUEST),
  /** The guest's disk is full. */
  NO_SPACE(ErrorCode.FULL),
  DENIED(ErrorCode.BAD_REQUEST),
  NO_SUCH_USER(ErrorCode.BAD_REQUEST),
  /** It cannot be run, or it is not what the question needs. */
  UNFIT(ErrorCode.BAD_REQUEST),
  /** Its reader or writer is gone. */
  BROKEN(ErrorCode.CONFLICT);

  private final ErrorCode code;

  GuestFailure(ErrorCode code) {
    this.code = code;
  }

  public ErrorCode code() {
    return code;
  }
}
