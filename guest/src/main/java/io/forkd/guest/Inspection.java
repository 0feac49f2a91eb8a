package io.forkd.guest;

import io.forkd.base.ForkdException;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;

/** Questions about a guest's files and processes that share a deadline. */
final class Inspection {
  /** Paths per question, so that neither side holds many at once. */
  static final int DESCRIBED_AT_ONCE = 5_000;

  private static final long MOST_READ = 64L << 20;
  private static final byte[] NO_INPUT = {};

  private final Connection connection;
  private final Deadline deadline;

  Inspection(Connection connection, Deadline deadline) {
    this.connection = connection;
    this.deadline = deadline;
  }

  List<GuestEntry> files(boolean everything) {
    Payload open = new Payload().u8(Protocol.KIND_FILES).u8(everything ? 1 : 0);
    Records<GuestEntry> records = new Records<>(Told::entry, Told::heap);
    return ask("list the files", open, NO_INPUT, records).stream()
        .filter(entry -> !OwnFiles.include(entry.path()))
        .toList();
  }

  List<GuestEntry> describe(List<String> paths) {
    List<GuestEntry> found = new ArrayList<>();
    for (int from = 0; from < paths.size(); from += DESCRIBED_AT_ONCE) {
      int to = Math.min(paths.size(), from + DESCRIBED_AT_ONCE);
      List<byte[]> some = paths.subList(from, to).stream().map(GuestPath::bytes).toList();
      describeSome(some).stream().flatMap(Optional::stream).forEach(found::add);
    }
    return found;
  }

  /** The guest answers for every path in turn, also for those it does not have. */
  private List<Optional<GuestEntry>> describeSome(List<byte[]> paths) {
    Payload input = new Payload();
    paths.forEach(input::bytes);
    Iterator<byte[]> asked = paths.iterator();
    Records<Optional<GuestEntry>> records =
        new Records<>(
            fields -> {
              if (!asked.hasNext()) {
                throw new NonsenseException("it answered for more paths than it was asked for");
              }
              return Told.answer(fields, asked.next());
            },
            found -> found.map(Told::heap).orElse(0L));
    Payload open = new Payload().u8(Protocol.KIND_DESCRIBE);
    String what = "look at %d paths".formatted(paths.size());
    List<Optional<GuestEntry>> told = ask(what, open, input.toByteArray(), records);
    return connection.reading(
        () -> {
          if (asked.hasNext()) {
            throw new NonsenseException("it answered for fewer paths than it was asked for");
          }
          return told;
        });
  }

  byte[] read(String path, long most) {
    if (most < 0 || most > MOST_READ) {
      throw ForkdException.badRequest(
          "At most %d bytes of a file can be read; %d were asked for.", MOST_READ, most);
    }
    Payload open = new Payload().u8(Protocol.KIND_READ).bytes(GuestPath.bytes(path)).i64(most);
    ByteArrayOutputStream content = new ByteArrayOutputStream();
    new InspectCall(connection, "read '%s'".formatted(path), deadline)
        .run(
            open,
            NO_INPUT,
            data -> {
              if (data.length > most - content.size()) {
                throw new NonsenseException("it sent more of a file than it was asked for");
              }
              content.writeBytes(data);
            });
    return content.toByteArray();
  }

  List<GuestProcess> processes() {
    Payload open = new Payload().u8(Protocol.KIND_PROCESSES);
    return ask("list the processes", open, NO_INPUT, new Records<>(Told::process, Told::heap));
  }

  private <T> List<T> ask(String what, Payload open, byte[] input, Records<T> records) {
    new InspectCall(connection, what, deadline).run(open, input, records);
    return connection.reading(records::whole);
  }
}
