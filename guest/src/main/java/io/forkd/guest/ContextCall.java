package io.forkd.guest;

import io.forkd.base.ErrorCode;
import io.forkd.base.ForkdException;
import java.time.Duration;

/** One question or order about the contexts of a guest. */
final class ContextCall {
  static final int LIST = 1;
  static final int CREATE = 2;
  static final int RESTART = 3;
  static final int DELETE = 4;
  static final int INTERRUPT = 5;

  /** A JVM that starts in an emulated guest on a busy host takes a minute. */
  private static final Duration PATIENCE = Duration.ofMinutes(4);

  private final Connection connection;
  private final String attempt;

  /**
   * @param what is attempted, as in "Cannot {@code what} in the guest"
   */
  ContextCall(Connection connection, String what) {
    this.connection = connection;
    this.attempt = "Cannot %s in %s".formatted(what, connection.guest());
  }

  /** Asks with the operation's number and reads the answer. */
  <T> T run(Payload operation, Answer<T> answer) {
    byte[] rest = operation.toByteArray();
    Payload open = new Payload().u8(Protocol.KIND_CONTEXT).raw(rest, 0, rest.length);
    GuestStream stream = connection.open(open.toByteArray());
    try {
      return switch (follow(stream)) {
        case Outcome.Result(byte[] payload) -> connection.reading(() -> read(payload, answer));
        case Outcome.Reset reset -> throw Refusals.of(reset, attempt);
        case Outcome.Broken(ForkdException cause) -> throw Connection.again(cause);
      };
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new ForkdException(ErrorCode.TIMEOUT, attempt + ": its caller was interrupted.", e);
    } finally {
      stream.close();
    }
  }

  /** Reads the fields of an answer. */
  interface Answer<T> {
    T read(Fields fields) throws NonsenseException;
  }

  private static <T> T read(byte[] payload, Answer<T> answer) throws NonsenseException {
    Fields fields = new Fields(payload);
    T result = answer.read(fields);
    fields.end();
    return result;
  }

  private Outcome follow(GuestStream stream) throws InterruptedException {
    Deadline deadline = Deadline.in(PATIENCE);
    GuestStream.Look look = stream.look(deadline, false);
    if (look.outcome() == null) {
      throw new ForkdException(
          ErrorCode.TIMEOUT, "%s: no answer in %s.".formatted(attempt, PATIENCE));
    }
    return look.outcome();
  }
}
