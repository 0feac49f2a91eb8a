package io.forkd.base;

/** What went wrong, as far as a caller can act on it: each code belongs to whoever must act. */
public enum ErrorCode {
  /** The request is malformed or names something impossible. */
  BAD_REQUEST(Blame.USER, 400),
  /** No valid token came with the request. */
  UNAUTHORIZED(Blame.USER, 401),
  /** The tag, id or path does not exist. */
  NOT_FOUND(Blame.USER, 404),
  /** The target exists in a state that forbids the request. */
  CONFLICT(Blame.USER, 409),
  /** The request body is larger than the daemon takes. */
  TOO_LARGE(Blame.USER, 413),
  /** A budget (memory, slots, concurrency, disk) is used up; trying later may work. */
  FULL(Blame.RESOURCES, 503),
  /** The guest did not answer in time. */
  TIMEOUT(Blame.EXTERNAL, 504),
  /** The guest, its agent or its VMM died or spoke nonsense. */
  GUEST_FAILED(Blame.EXTERNAL, 502),
  /** A program or kernel feature forkd relies on is missing or failed. */
  HOST_FAILED(Blame.EXTERNAL, 500),
  /** A defect in forkd. */
  INTERNAL(Blame.INTERNAL, 500);

  /** Who must act on an error. */
  public enum Blame {
    USER,
    INTERNAL,
    RESOURCES,
    EXTERNAL
  }

  private final Blame blame;
  private final int httpStatus;

  ErrorCode(Blame blame, int httpStatus) {
    this.blame = blame;
    this.httpStatus = httpStatus;
  }

  public Blame blame() {
    return blame;
  }

  public int httpStatus() {
    return httpStatus;
  }
}
