package io.forkd.guest;

import io.forkd.base.ErrorCode;
import io.forkd.base.ForkdException;
import io.forkd.base.Printable;

/** One question or order that a helper of the agent sees to, and all of the answer. */
final class InspectCall {
  /** Takes the answer in pieces. */
  interface Sink {
    void take(byte[] data) throws NonsenseException;
  }

  private final Connection connection;
  private final String what;
  private final Deadline deadline;

  /**
   * @param what is asked, as in "cannot {@code what}"
   */
  InspectCall(Connection connection, String what, Deadline deadline) {
    this.connection = connection;
    this.what = what;
    this.deadline = deadline;
  }

  /** Asks, sends the input of the question if it has any, and passes on the answer. */
  void run(Payload open, byte[] input, Sink sink) {
    GuestStream stream = connection.open(open.toByteArray());
    try {
      switch (follow(stream, input, sink)) {
        case Outcome.Result(byte[] payload) ->
            connection.<Object>reading(
                () -> {
                  new Fields(payload).end();
                  return payload;
                });
        case Outcome.Reset reset -> throw refused(reset);
        case Outcome.Broken(ForkdException cause) -> throw Connection.again(cause);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw failed(ErrorCode.TIMEOUT, "its caller was interrupted");
    } finally {
      stream.close();
    }
  }

  private Outcome follow(GuestStream stream, byte[] input, Sink sink) throws InterruptedException {
    int sent = 0;
    boolean ended = input.length == 0;
    while (true) {
      GuestStream.Look look = stream.look(deadline, !ended);
      pass(look.stdout(), sink);
      if (look.outcome() != null) {
        return look.outcome();
      }
      if (deadline.passed()) {
        throw failed(
            ErrorCode.TIMEOUT,
            "the guest did not answer in time: it is busy, or has a lot to tell");
      }
      stream.grant();
      int length = Math.min(Math.min(look.credit(), Frame.MAX_PAYLOAD), input.length - sent);
      if (length > 0) {
        stream.sendData(input, sent, length);
        sent += length;
      }
      if (!ended && sent == input.length) {
        stream.send(Protocol.EOF, Protocol.CHANNEL_IN, new byte[0]);
        ended = true;
      }
    }
  }

  private void pass(byte[] data, Sink sink) {
    if (data.length > 0) {
      byte[] _ =
          connection.reading(
              () -> {
                sink.take(data);
                return data;
              });
    }
  }

  private ForkdException refused(Outcome.Reset reset) {
    return reset.code() == Protocol.ERROR_REFUSED
        ? failed(ErrorCode.NOT_FOUND, Printable.shorten(reset.message()))
        : Refusals.of(reset, attempt());
  }

  private String attempt() {
    return "Cannot %s in %s".formatted(what, connection.guest());
  }

  private ForkdException failed(ErrorCode code, String why) {
    return new ForkdException(code, "%s: %s.".formatted(attempt(), why));
  }
}
