package io.forkd.server.e2b;

/** A failure that clients are told with a code of the Connect protocol. */
final class RpcFailure extends RuntimeException {
  private final RpcCode code;

  RpcFailure(RpcCode code, String message) {
    super(message);
    this.code = code;
  }

  RpcCode code() {
    return code;
  }
}
