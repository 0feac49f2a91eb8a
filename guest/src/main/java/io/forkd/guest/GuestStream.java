package io.forkd.guest;

import java.util.Optional;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * One stream to the guest as its caller sees it.
 *
 * <p>The connection's reader puts in what comes, the caller takes it out and only then grants the
 * guest more; so a stream never holds more than its window, whatever the guest sends.
 */
final class GuestStream {
  private static final int GRANT_AT = Protocol.INITIAL_WINDOW / 4;

  /** What a caller found when it looked: output since the last look, and the end if it has come. */
  record Look(byte[] stdout, byte[] stderr, int credit, @Nullable Outcome outcome) {
    Optional<Outcome> ended() {
      return Optional.ofNullable(outcome);
    }
  }

  private final Connection connection;
  private final int id;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private Interleaved output = new Interleaved();
  private int window = Protocol.INITIAL_WINDOW;
  private int credit = Protocol.INITIAL_WINDOW;
  private int consumed;
  private byte @Nullable [] opened;
  private boolean outputEnded;
  private @Nullable Outcome outcome;

  GuestStream(Connection connection, int id) {
    this.connection = connection;
    this.id = id;
  }

  int id() {
    return id;
  }

  /** Takes a frame of this stream; returns whether it was the last. Called by the reader only. */
  boolean take(Frame frame) throws NonsenseException {
    Fields fields = new Fields(frame.payload());
    switch (frame.type()) {
      case Protocol.DATA -> takeData(frame);
      case Protocol.EOF -> endOutput();
      case Protocol.OPENED -> opened(frame.payload());
      case Protocol.WINDOW -> {
        int grant = fields.i32();
        fields.end();
        takeCredit(grant);
      }
      case Protocol.RESULT -> end(new Outcome.Result(frame.payload()));
      case Protocol.RESET -> {
        int code = fields.u16();
        String message = fields.text();
        fields.end();
        end(new Outcome.Reset(code, message));
      }
      default -> throw new NonsenseException("a stream message of type " + frame.type());
    }
    return frame.type() == Protocol.RESULT || frame.type() == Protocol.RESET;
  }

  private void takeData(Frame frame) throws NonsenseException {
    byte[] data = frame.payload();
    lock.lock();
    try {
      if (data.length > window) {
        throw new NonsenseException("stream %d sent more than its window".formatted(id));
      }
      if (outputEnded) {
        throw new NonsenseException("stream %d sent more after its end".formatted(id));
      }
      window -= data.length;
      keep(frame.flags(), data);
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  private void keep(int channel, byte[] data) throws NonsenseException {
    if (channel != Protocol.CHANNEL_OUT && channel != Protocol.CHANNEL_ERR) {
      throw new NonsenseException("data on channel " + channel);
    }
    output.add(channel, data);
  }

  private void endOutput() {
    lock.lock();
    try {
      outputEnded = true;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  private void opened(byte[] payload) {
    lock.lock();
    try {
      opened = payload;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  private void takeCredit(int grant) throws NonsenseException {
    lock.lock();
    try {
      if (grant < 0 || grant > Protocol.INITIAL_WINDOW - credit) {
        throw new NonsenseException("stream %d was granted %d bytes".formatted(id, grant));
      }
      credit += grant;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  void end(Outcome how) {
    lock.lock();
    try {
      if (outcome == null) {
        outcome = how;
      }
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /**
   * Waits for output, for the end, for the deadline, or, when the caller has more to send, for
   * credit to send it with.
   */
  Look look(Deadline deadline, boolean moreToSend) throws InterruptedException {
    lock.lock();
    try {
      while (outcome == null && output.size() == 0 && !(moreToSend && credit > 0)) {
        long left = deadline.nanosLeft();
        if (left <= 0) {
          break;
        }
        var _ = changed.awaitNanos(left);
      }
      consumed += output.size();
      Interleaved taken = takeAll();
      return new Look(
          taken.only(Protocol.CHANNEL_OUT), taken.only(Protocol.CHANNEL_ERR), credit, outcome);
    } finally {
      lock.unlock();
    }
  }

  /**
   * Waits until the guest's end is connected, though it may have ended again since; false when it
   * ended before, or the deadline came first.
   */
  boolean awaitOpened(Deadline deadline) throws InterruptedException {
    lock.lock();
    try {
      while (opened == null && outcome == null && !deadline.passed()) {
        var _ = changed.awaitNanos(deadline.nanosLeft());
      }
      return opened != null;
    } finally {
      lock.unlock();
    }
  }

  /** What the guest said when its end was connected, once it was. */
  Optional<byte[]> openedWith() {
    lock.lock();
    try {
      return Optional.ofNullable(opened);
    } finally {
      lock.unlock();
    }
  }

  /** How it ended, once it has. */
  Optional<Outcome> outcome() {
    lock.lock();
    try {
      return Optional.ofNullable(outcome);
    } finally {
      lock.unlock();
    }
  }

  /** Whether the guest has said that it will send no more. */
  boolean outputEnded() {
    lock.lock();
    try {
      return outputEnded;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Waits for output and takes it out without counting it as consumed; empty when no more comes,
   * however that came about.
   */
  byte[] takeOutput() throws InterruptedException {
    lock.lock();
    try {
      while (true) {
        byte[] taken = output.only(Protocol.CHANNEL_OUT);
        if (taken.length > 0 || outputEnded || outcome != null) {
          var _ = takeAll();
          return taken;
        }
        changed.await();
      }
    } finally {
      lock.unlock();
    }
  }

  /**
   * Waits for output of either channel and takes it out in the order in which it came, without
   * counting it as consumed; none when the stream has ended or the deadline has come.
   */
  Interleaved takeInOrder(Deadline deadline) throws InterruptedException {
    lock.lock();
    try {
      while (output.size() == 0 && outcome == null && !deadline.passed()) {
        var _ = changed.awaitNanos(deadline.nanosLeft());
      }
      return takeAll();
    } finally {
      lock.unlock();
    }
  }

  /** Leaves a new one: streams are many and live long, and most of the time they hold nothing. */
  private Interleaved takeAll() {
    Interleaved taken = output;
    if (taken.size() > 0) {
      output = new Interleaved();
    }
    return taken;
  }

  /** Counts output as consumed that {@link #takeOutput} or {@link #takeInOrder} gave. */
  void consumed(int length) {
    lock.lock();
    try {
      consumed += length;
    } finally {
      lock.unlock();
    }
    grant();
  }

  /** Waits until the guest takes input; how much at a time, or 0 when the stream has ended. */
  int awaitCredit() throws InterruptedException {
    lock.lock();
    try {
      while (credit == 0 && outcome == null) {
        changed.await();
      }
      return outcome == null ? credit : 0;
    } finally {
      lock.unlock();
    }
  }

  /** Grants the guest what has been taken out, once it is worth a frame. Called by the caller. */
  void grant() {
    int grant;
    lock.lock();
    try {
      if (consumed < GRANT_AT || outcome != null) {
        return;
      }
      grant = consumed;
      consumed = 0;
      window += grant;
    } finally {
      lock.unlock();
    }
    send(Protocol.WINDOW, 0, new Payload().i32(grant).toByteArray());
  }

  /** Sends input, at most the credit of the last look. */
  void sendData(byte[] data, int from, int length) {
    lock.lock();
    try {
      credit -= length;
    } finally {
      lock.unlock();
    }
    send(Protocol.DATA, Protocol.CHANNEL_IN, new Payload().raw(data, from, length).toByteArray());
  }

  void send(int type, int flags, byte[] payload) {
    connection.send(new Frame(type, flags, id, payload));
  }

  /** Has the guest end what the stream stands for, if the guest can still be told. */
  void cancel() {
    connection.sendQuietly(new Frame(Protocol.CANCEL, 0, id, new byte[0]));
  }

  /** Nobody waits for this stream any more; tells the guest unless it has ended. */
  void close() {
    connection.forget(this);
    lock.lock();
    try {
      if (outcome != null) {
        return;
      }
      outcome = new Outcome.Reset(0, "closed by the host");
      changed.signalAll();
    } finally {
      lock.unlock();
    }
    Payload payload = new Payload().u16(5).text("nobody waits for this any more");
    connection.sendQuietly(new Frame(Protocol.RESET, 0, id, payload.toByteArray()));
  }
}
