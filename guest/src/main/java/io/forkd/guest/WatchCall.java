package io.forkd.guest;

import io.forkd.base.ErrorCode;
import io.forkd.base.ForkdException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Optional;
import java.util.Queue;

/** Changes in a folder as a helper of the agent tells them. */
final class WatchCall implements FileWatch {
  private static final Deadline NEVER = Deadline.in(Duration.ofDays(365));
  private static final int START = 0;
  private static final int LONGEST_RECORD = 8 * 1024;

  private final Connection connection;
  private final FileCall call;
  private final GuestStream stream;
  private final RecordCutter cutter = new RecordCutter(LONGEST_RECORD);
  private final Queue<Change> changes = new ArrayDeque<>();
  private boolean started;
  private volatile boolean closed;

  private WatchCall(Connection connection, FileCall call) {
    this.connection = connection;
    this.call = call;
    this.stream = call.start();
  }

  /** Asks, and returns when the guest watches. */
  static WatchCall open(Connection connection, FileCall call) {
    WatchCall watch = new WatchCall(connection, call);
    try {
      while (!watch.started) {
        watch.look(NEVER);
      }
      return watch;
    } catch (InterruptedException e) {
      watch.close();
      throw call.interrupted();
    } catch (ForkdException e) {
      watch.close();
      throw e;
    }
  }

  @Override
  public synchronized Optional<Change> next(Duration wait) throws InterruptedException {
    Deadline deadline = Deadline.in(wait);
    while (changes.isEmpty() && look(deadline)) {
      // More of a change has come.
    }
    return Optional.ofNullable(changes.poll());
  }

  /** Takes what comes; false when nothing did before the deadline. */
  private boolean look(Deadline deadline) throws InterruptedException {
    GuestStream.Look look = stream.look(deadline, false);
    byte[] data = look.stdout();
    connection.<Object>reading(
        () -> {
          cutter.add(data, this::take);
          return data;
        });
    if (data.length > 0) {
      stream.grant();
      return true;
    }
    if (closed) {
      throw new ForkdException(ErrorCode.CONFLICT, "The watch was closed by this side.");
    }
    if (look.outcome() != null) {
      throw call.failure(look.outcome());
    }
    return false;
  }

  private void take(byte[] told) throws NonsenseException {
    Fields fields = new Fields(told);
    int kind = fields.u8();
    String name = FileNames.text(fields.bytes());
    fields.end();
    if (kind == START && !started) {
      started = true;
    } else {
      changes.add(new Change(name, kindOf(kind)));
    }
  }

  private static Kind kindOf(int number) throws NonsenseException {
    return switch (number) {
      case 1 -> Kind.CREATE;
      case 2 -> Kind.WRITE;
      case 3 -> Kind.REMOVE;
      case 4 -> Kind.RENAME;
      case 5 -> Kind.CHMOD;
      default -> throw new NonsenseException("a change of unknown kind " + number);
    };
  }

  @Override
  public void close() {
    closed = true;
    stream.close();
  }
}
