package io.forkd.guest;

import io.forkd.base.ErrorCode;
import io.forkd.base.ForkdException;
import java.io.OutputStream;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.locks.ReentrantLock;

/**
 * What is written to a process in the guest, over one stream of the channel. Closing it waits until
 * all is in the process's pipe. What the guest refuses is thrown as {@link ForkdException}, so that
 * it is not taken for a failure of whatever the bytes come from.
 */
final class ProcessInput extends OutputStream {
  /** Small enough that other streams of the channel get their turn in between. */
  private static final int MOST_AT_ONCE = 32 * 1024;

  private static final Duration FOREVER = Duration.ofDays(365);

  private final Connection connection;
  private final GuestStream stream;
  private final String attempt;
  private final ReentrantLock writing = new ReentrantLock();
  private long sent;
  private volatile boolean closed;

  /**
   * @param attempt what is attempted, for messages
   */
  ProcessInput(Connection connection, GuestStream stream, String attempt) {
    this.connection = connection;
    this.stream = stream;
    this.attempt = attempt;
  }

  @Override
  public void write(int value) {
    write(new byte[] {(byte) value}, 0, 1);
  }

  @Override
  public void write(byte[] data, int from, int length) {
    Objects.checkFromIndexSize(from, length, data.length);
    writing.lock();
    try {
      int done = 0;
      while (done < length) {
        done += send(data, from + done, length - done);
      }
    } catch (InterruptedException e) {
      throw interrupted(e);
    } finally {
      writing.unlock();
    }
  }

  private int send(byte[] data, int from, int length) throws InterruptedException {
    int some = Math.min(Math.min(stream.awaitCredit(), MOST_AT_ONCE), length);
    if (some == 0 || closed) {
      throw ended();
    }
    stream.sendData(data, from, some);
    sent += some;
    return some;
  }

  private ForkdException ended() {
    if (closed) {
      return new ForkdException(ErrorCode.CONFLICT, attempt + ": it was closed by this side.");
    }
    return switch (stream.outcome().orElseThrow()) {
      case Outcome.Reset reset -> Refusals.of(reset, attempt);
      case Outcome.Broken(ForkdException cause) -> Connection.again(cause);
      case Outcome.Result _ ->
          new GuestRefusal(
              GuestFailure.BROKEN, attempt + ": it has closed its input, or has ended.");
    };
  }

  private ForkdException interrupted(InterruptedException cause) {
    Thread.currentThread().interrupt();
    return new ForkdException(ErrorCode.TIMEOUT, attempt + ": its caller was interrupted.", cause);
  }

  /** Gives up on a write that another thread is at: it may wait for a process that never reads. */
  @Override
  public void close() {
    if (closed) {
      return;
    }
    boolean orderly = writing.tryLock();
    try {
      if (orderly) {
        awaitTaken();
      }
    } catch (InterruptedException e) {
      throw interrupted(e);
    } finally {
      closed = true;
      stream.close();
      if (orderly) {
        writing.unlock();
      }
    }
  }

  private void awaitTaken() throws InterruptedException {
    if (stream.outcome().isEmpty()) {
      stream.send(Protocol.EOF, Protocol.CHANNEL_IN, new byte[0]);
    }
    Deadline deadline = Deadline.in(FOREVER);
    while (stream.look(deadline, false).ended().isEmpty()) {
      // It says nothing but its end.
    }
    boolean all =
        stream.outcome().orElseThrow() instanceof Outcome.Result(byte[] payload)
            && connection.reading(() -> taken(payload)) == sent;
    if (!all) {
      throw ended();
    }
  }

  private static long taken(byte[] payload) throws NonsenseException {
    Fields fields = new Fields(payload);
    long taken = fields.i64();
    fields.end();
    return taken;
  }
}
