package io.forkd.guest;

import io.forkd.base.ForkdException;
import io.forkd.base.Printable;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/** The files of a guest, over the channel to its agent. */
final class AgentFiles implements FileTree {
  private static final int STAT = 1;
  private static final int LIST = 2;
  private static final int MAKE_FOLDER = 3;
  private static final int MOVE = 4;
  private static final int REMOVE = 5;
  private static final int CHANGE = 6;
  private static final int READ = 7;
  private static final int WRITE = 8;
  private static final int WATCH = 9;
  private static final int DOWNLOAD = 10;
  private static final int UPLOAD = 11;

  private static final int CHANGE_MODE = 1;
  private static final int CHANGE_OWNER = 2;
  private static final int CHANGE_GROUP = 4;
  private static final int CHANGE_ALL_BELOW = 8;
  private static final int MODE_BITS = 07777;
  private static final int DEFAULT_MODE = -1;
  private static final int MOST_METADATA = 32;
  private static final int LONGEST_VALUE = 4096;
  private static final int LONGEST_KEY = 241;

  private final Connection connection;
  private final Optional<String> user;

  AgentFiles(Connection connection, Optional<String> user) {
    this.connection = connection;
    this.user = user;
  }

  @Override
  public FileEntry stat(String path) {
    return call("look at", path, ask(STAT, path)).entry();
  }

  @Override
  public List<FileEntry> list(String path, int depth) {
    if (depth < 1) {
      throw ForkdException.badRequest(
          "A folder cannot be listed %d levels deep: give 1 or more.", depth);
    }
    return call("list", path, ask(LIST, path).i32(depth)).entries().stream()
        .sorted(Comparator.comparing(FileEntry::path))
        .toList();
  }

  @Override
  public FileEntry makeFolder(String path) {
    return call("make the folder", path, ask(MAKE_FOLDER, path)).entry();
  }

  @Override
  public FileEntry move(String from, String to) {
    return call("move", from, ask(MOVE, from).bytes(FileNames.bytes(to))).entry();
  }

  @Override
  public void remove(String path) {
    call("remove", path, ask(REMOVE, path)).run();
  }

  @Override
  public FileEntry change(String path, FileChange change) {
    int what =
        (change.mode().isPresent() ? CHANGE_MODE : 0)
            | (change.owner().isPresent() ? CHANGE_OWNER : 0)
            | (change.group().isPresent() ? CHANGE_GROUP : 0)
            | (change.recursive() ? CHANGE_ALL_BELOW : 0);
    Payload question =
        ask(CHANGE, path)
            .u8(what)
            .i32(mode(change.mode()))
            .text(change.owner().orElse(""))
            .text(change.group().orElse(""));
    return call("change", path, question).entry();
  }

  @Override
  public FileContent read(String path, long offset, OptionalLong length) {
    if (offset < 0 || length.orElse(0) < 0) {
      throw ForkdException.badRequest(
          "A file cannot be read from byte %d for %d bytes.", offset, length.orElse(0));
    }
    Payload question = ask(READ, path).i64(offset).i64(length.orElse(-1));
    return ContentCall.open(call("read", path, question));
  }

  @Override
  public FileEntry write(String path, FileWrite how, InputStream content) throws IOException {
    Payload question = ask(WRITE, path).u8(how.append() ? 1 : 0).i32(mode(how.mode()));
    metadata(question, how.metadata());
    return call("write", path, question).entry(content);
  }

  @Override
  public FileWatch watch(String path, boolean recursive) {
    Payload question = ask(WATCH, path).u8(recursive ? 1 : 0);
    return WatchCall.open(connection, call("watch", path, question));
  }

  @Override
  public FileContent download(String path) {
    return ContentCall.open(call("pack", path, ask(DOWNLOAD, path)));
  }

  @Override
  public void upload(String path, InputStream tar) throws IOException {
    call("unpack into", path, ask(UPLOAD, path)).run(tar);
  }

  private Payload ask(int operation, String path) {
    return new Payload()
        .u8(Protocol.KIND_FILE)
        .u8(operation)
        .text(user.orElse(""))
        .bytes(FileNames.bytes(path));
  }

  private FileCall call(String verb, String path, Payload question) {
    return new FileCall(connection, question, "%s '%s'".formatted(verb, Printable.shorten(path)));
  }

  private static int mode(Optional<Integer> mode) {
    if (mode.isPresent() && (mode.get() & ~MODE_BITS) != 0) {
      throw ForkdException.badRequest(
          "%o is no mode of a file: give an octal number up to 7777.", mode.get());
    }
    return mode.orElse(DEFAULT_MODE);
  }

  private static void metadata(Payload question, Map<String, String> metadata) {
    if (metadata.size() > MOST_METADATA) {
      throw ForkdException.badRequest(
          "A file takes at most %d names with values, not %d.", MOST_METADATA, metadata.size());
    }
    question.u16(metadata.size());
    metadata.forEach(
        (name, value) -> {
          int length = name.getBytes(StandardCharsets.UTF_8).length;
          int size = value.getBytes(StandardCharsets.UTF_8).length;
          if (length < 1 || length > LONGEST_KEY || name.indexOf(0) >= 0 || size > LONGEST_VALUE) {
            throw ForkdException.badRequest(
                "'%s' with a value of %d bytes cannot be stored with a file: give a name of at most"
                    + " %d bytes and a value of at most %d.",
                Printable.shorten(name), size, LONGEST_KEY, LONGEST_VALUE);
          }
          question.text(name).text(value);
        });
  }
}
