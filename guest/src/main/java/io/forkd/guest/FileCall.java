package io.forkd.guest;

import io.forkd.base.ErrorCode;
import io.forkd.base.ForkdException;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.List;

/**
 * One thing that a helper of the agent does with files. It may take as long as it needs: only its
 * own end, the connection's or an interrupt ends the wait.
 */
final class FileCall {
  private static final int MOST_AT_ONCE = 32 * 1024;
  private static final int LONGEST_RECORD = Frame.MAX_PAYLOAD;
  private static final Deadline NEVER = Deadline.in(Duration.ofDays(365));

  private final Connection connection;
  private final Payload open;
  private final String attempt;

  /**
   * @param open the question
   * @param what is to be done, as in "cannot {@code what}"
   */
  FileCall(Connection connection, Payload open, String what) {
    this.connection = connection;
    this.open = open;
    this.attempt = "Cannot %s in %s".formatted(what, connection.guest());
  }

  /** Does it; the guest has nothing to tell but that. */
  void run() {
    none(entries());
  }

  /** Does it with content that is sent as the guest takes it; nothing is told. */
  void run(InputStream content) throws IOException {
    none(sending(content));
  }

  /** Does it and reads the one file that the guest tells of. */
  FileEntry entry() {
    return only(entries());
  }

  /** Does it with content that is sent as the guest takes it, and reads the one file told of. */
  FileEntry entry(InputStream content) throws IOException {
    return only(sending(content));
  }

  /** Does it and reads all files that the guest tells of. */
  List<FileEntry> entries() {
    GuestStream stream = start();
    try {
      return follow(stream);
    } catch (InterruptedException e) {
      throw interrupted();
    } finally {
      stream.close();
    }
  }

  private List<FileEntry> sending(InputStream content) throws IOException {
    GuestStream stream = start();
    try {
      send(stream, content);
      return follow(stream);
    } catch (InterruptedException e) {
      throw interrupted();
    } finally {
      stream.close();
    }
  }

  GuestStream start() {
    return connection.open(open.toByteArray());
  }

  private void none(List<FileEntry> told) {
    connection.<Object>reading(
        () -> {
          if (!told.isEmpty()) {
            throw new NonsenseException("it tells of files where none were asked for");
          }
          return told;
        });
  }

  private FileEntry only(List<FileEntry> told) {
    return connection.reading(
        () -> {
          if (told.size() != 1) {
            throw new NonsenseException("%d files where one was asked for".formatted(told.size()));
          }
          return told.getFirst();
        });
  }

  /** Sends until either side has no more. */
  private static void send(GuestStream stream, InputStream content)
      throws IOException, InterruptedException {
    byte[] piece = new byte[MOST_AT_ONCE];
    int got = 0;
    while (stream.outcome().isEmpty() && (got = content.read(piece)) >= 0) {
      int sent = 0;
      while (sent < got) {
        int some = Math.min(stream.awaitCredit(), got - sent);
        if (some == 0) {
          return;
        }
        stream.sendData(piece, sent, some);
        sent += some;
      }
    }
    if (stream.outcome().isEmpty()) {
      stream.send(Protocol.EOF, Protocol.CHANNEL_IN, new byte[0]);
    }
  }

  private List<FileEntry> follow(GuestStream stream) throws InterruptedException {
    Records<FileEntry> records = new Records<>(ToldFile::entry, ToldFile::heap, LONGEST_RECORD);
    while (true) {
      GuestStream.Look look = stream.look(NEVER, false);
      byte[] data = look.stdout();
      connection.<Object>reading(
          () -> {
            records.take(data);
            return data;
          });
      if (look.outcome() instanceof Outcome.Result) {
        return connection.reading(records::whole);
      }
      if (look.outcome() != null) {
        throw failure(look.outcome());
      }
      stream.grant();
    }
  }

  /** What to throw for an end that is no success. */
  ForkdException failure(Outcome outcome) {
    return switch (outcome) {
      case Outcome.Reset reset -> Refusals.of(reset, attempt);
      case Outcome.Broken(ForkdException cause) -> Connection.again(cause);
      case Outcome.Result _ ->
          new ForkdException(ErrorCode.GUEST_FAILED, attempt + ": it ended too early.");
    };
  }

  ForkdException interrupted() {
    Thread.currentThread().interrupt();
    return new ForkdException(ErrorCode.TIMEOUT, attempt + ": its caller was interrupted.");
  }
}
