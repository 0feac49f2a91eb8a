package io.forkd.guest;

import io.forkd.base.ErrorCode;
import io.forkd.base.ForkdException;
import java.time.Duration;
import java.util.Optional;

/** One listener to a process in the guest, over one stream of the channel. */
final class ListeningStream implements ProcessStream {
  private static final int MOST_AT_ONCE = 32 * 1024;

  private final Connection connection;
  private final GuestStream stream;
  private final String attempt;
  private final long pid;
  private final boolean terminal;
  private Interleaved taken = new Interleaved();
  private boolean ended;
  private volatile boolean closed;

  private ListeningStream(
      Connection connection, GuestStream stream, String attempt, long pid, boolean terminal) {
    this.connection = connection;
    this.stream = stream;
    this.attempt = attempt;
    this.pid = pid;
    this.terminal = terminal;
  }

  /**
   * Asks the agent and waits until it has the process.
   *
   * @param attempt what is attempted, for messages
   * @param ours whether this starts the process: given up, it must not run without anybody knowing
   */
  static ListeningStream open(
      Connection connection, Payload open, String attempt, boolean ours, Deadline deadline) {
    GuestStream stream = connection.open(open.toByteArray());
    boolean opened = false;
    try {
      opened = stream.awaitOpened(deadline);
      if (!opened) {
        throw refused(stream.outcome(), attempt);
      }
      byte[] said = stream.openedWith().orElseThrow();
      return connection.reading(() -> of(connection, stream, attempt, new Fields(said)));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new ForkdException(ErrorCode.TIMEOUT, attempt + ": its caller was interrupted.", e);
    } finally {
      if (!opened) {
        if (ours && stream.outcome().isEmpty()) {
          stream.cancel();
        }
        stream.close();
      }
    }
  }

  private static ListeningStream of(
      Connection connection, GuestStream stream, String attempt, Fields said)
      throws NonsenseException {
    long pid = Integer.toUnsignedLong(said.i32());
    boolean terminal = said.u8() != 0;
    said.end();
    return new ListeningStream(connection, stream, attempt, pid, terminal);
  }

  private static ForkdException refused(Optional<Outcome> outcome, String attempt) {
    if (outcome.isEmpty()) {
      return new ForkdException(
          ErrorCode.TIMEOUT, attempt + ": the guest did not answer in time: it is stuck or busy.");
    }
    return switch (outcome.get()) {
      case Outcome.Reset reset -> Refusals.of(reset, attempt);
      case Outcome.Broken(ForkdException cause) -> Connection.again(cause);
      case Outcome.Result _ ->
          new ForkdException(ErrorCode.GUEST_FAILED, attempt + ": it ended before it began.");
    };
  }

  @Override
  public long pid() {
    return pid;
  }

  @Override
  public synchronized Optional<ProcessEvent> next(Duration wait) throws InterruptedException {
    if (ended) {
      return Optional.empty();
    }
    if (taken.size() == 0) {
      taken = stream.takeInOrder(Deadline.in(wait));
    }
    Optional<Interleaved.Piece> piece = taken.take(MOST_AT_ONCE);
    if (piece.isPresent()) {
      consumed(piece.get().bytes().length);
      return piece.map(this::output);
    }
    return stream.outcome().isEmpty() ? Optional.empty() : end();
  }

  private ProcessEvent output(Interleaved.Piece piece) {
    ProcessEvent.Channel channel =
        terminal
            ? ProcessEvent.Channel.TERMINAL
            : piece.channel() == Protocol.CHANNEL_ERR
                ? ProcessEvent.Channel.STDERR
                : ProcessEvent.Channel.STDOUT;
    return new ProcessEvent.Output(channel, piece.bytes());
  }

  /** What came between the last look and the end is still told first. */
  private Optional<ProcessEvent> end() throws InterruptedException {
    taken = stream.takeInOrder(Deadline.in(Duration.ZERO));
    if (taken.size() > 0) {
      return next(Duration.ZERO);
    }
    if (closed) {
      throw new ForkdException(ErrorCode.CONFLICT, attempt + ": it was closed by this side.");
    }
    return switch (stream.outcome().orElseThrow()) {
      case Outcome.Result(byte[] payload) -> {
        ended = true;
        yield Optional.of(new ProcessEvent.Ended(connection.reading(() -> how(payload))));
      }
      case Outcome.Reset reset -> throw Refusals.of(reset, attempt);
      case Outcome.Broken(ForkdException cause) -> throw Connection.again(cause);
    };
  }

  private static ProcessEnd how(byte[] payload) throws NonsenseException {
    Fields fields = new Fields(payload);
    ProcessEnd end = ProcessRecord.end(fields);
    fields.end();
    return end;
  }

  private void consumed(int length) {
    try {
      stream.consumed(length);
    } catch (ForkdException e) {
      // The channel is gone; the next call says so, after what was already here.
    }
  }

  @Override
  public void close() {
    closed = true;
    stream.close();
  }
}
