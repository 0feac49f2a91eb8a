package io.forkd.guest;

import io.forkd.base.ErrorCode;
import io.forkd.base.ForkdException;
import io.forkd.base.Printable;
import java.util.Optional;

/** The making of one connection to a port inside the guest. */
final class ConnectCall {
  private static final int HIGHEST_PORT = 65535;

  private final Connection connection;
  private final int port;
  private final Deadline deadline;

  ConnectCall(Connection connection, int port, Deadline deadline) {
    if (port < 1 || port > HIGHEST_PORT) {
      throw ForkdException.badRequest("%d is no port: give one from 1 to %d.", port, HIGHEST_PORT);
    }
    this.connection = connection;
    this.port = port;
    this.deadline = deadline;
  }

  GuestSocket run() {
    Payload open = new Payload().u8(Protocol.KIND_CONNECT).u16(port);
    GuestStream stream = connection.open(open.toByteArray());
    boolean connected = false;
    try {
      connected = stream.awaitOpened(deadline).isPresent();
      if (!connected) {
        throw refused(stream.outcome());
      }
      return new PortSocket(stream, "port %d of %s".formatted(port, connection.guest()));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw failed(ErrorCode.TIMEOUT, "its caller was interrupted");
    } finally {
      if (!connected) {
        stream.close();
      }
    }
  }

  private ForkdException refused(Optional<Outcome> outcome) {
    if (outcome.isEmpty()) {
      return failed(
          ErrorCode.TIMEOUT,
          "it did not answer in time: its server does not take connections, or the guest is stuck");
    }
    return switch (outcome.get()) {
      case Outcome.Reset(int code, String message) -> refused(code, Printable.shorten(message));
      case Outcome.Broken(ForkdException cause) -> Connection.again(cause);
      case Outcome.Result _ -> failed(ErrorCode.GUEST_FAILED, "it ended at once");
    };
  }

  private ForkdException refused(int code, String message) {
    return switch (code) {
      case Protocol.ERROR_NOBODY_LISTENS ->
          failed(
              ErrorCode.GUEST_FAILED,
              "nothing listens there. Next: start a server in the sandbox, on 127.0.0.1, ::1 or"
                  + " all addresses");
      case Protocol.ERROR_LIMIT ->
          failed(ErrorCode.FULL, message + ". Next: close some, or try again later");
      case Protocol.ERROR_UNSUPPORTED ->
          failed(
              ErrorCode.CONFLICT,
              "the agent in it is older than this forkd. Its snapshot was made by an older forkd:"
                  + " make it anew");
      default -> failed(ErrorCode.GUEST_FAILED, "%s (code %d)".formatted(message, code));
    };
  }

  private ForkdException failed(ErrorCode code, String why) {
    return new ForkdException(
        code, "Cannot connect to port %d of %s: %s.".formatted(port, connection.guest(), why));
  }
}
