package io.forkd.server;

import io.forkd.base.ForkdException;
import io.forkd.guest.FileChange;
import io.forkd.guest.FileContent;
import io.forkd.guest.FileEntry;
import io.forkd.guest.FileTree;
import io.forkd.guest.FileWrite;
import io.forkd.server.http.Exchange;
import java.io.IOException;
import java.util.Map;
import java.util.OptionalLong;

/** Routes about the files in a sandbox. */
final class FileRoutes {
  static final String FILES = "/v1/sandboxes/{id}/files";
  private static final int DEEPEST = 1000;
  private static final String USER = "Whose home relative paths begin at; root unless told";

  private final View forkd;

  FileRoutes(View forkd) {
    this.forkd = forkd;
  }

  void addTo(Router router) {
    addContent(router);
    addTrees(router);
    router
        .add(
            operation(Operation.post(FILES + "/mkdir"), "Make a folder and those above it")
                .body(FileSchemas.MAKE_FOLDER)
                .answers(201, FileSchemas.ENTRY)
                .fails(507),
            this::makeFolder)
        .add(
            operation(Operation.post(FILES + "/move"), "Move or rename a file or folder")
                .body(FileSchemas.MOVE)
                .answers(200, FileSchemas.ENTRY)
                .fails(507),
            this::move)
        .add(
            operation(Operation.post(FILES + "/attributes"), "Change whose a file is, or its mode")
                .body(FileSchemas.ATTRIBUTES)
                .answers(200, FileSchemas.ENTRY),
            this::change);
  }

  private void addContent(Router router) {
    router
        .add(
            onPath(Operation.get(FILES), "Read a file")
                .query("offset", Schema.whole(0), "Where to begin")
                .query("length", Schema.whole(0), "How much to read; to the end unless told")
                .answers(200, FileStreams.answer(FileStreams.BYTES, "The file's bytes")),
            this::read)
        .add(
            onPath(Operation.put(FILES), "Write a file and make the folders above it")
                .query("append", Schema.flag(), "true: what is there stays")
                .query("mode", FileSchemas.MODE, "Of a new file; 0644 unless told")
                .rawBody(FileStreams.BYTES)
                .answers(200, FileSchemas.ENTRY)
                .fails(507),
            this::write)
        .add(
            onPath(Operation.delete(FILES), "Remove a file, or a folder with all in it")
                .answers(204),
            this::remove);
  }

  private void addTrees(Router router) {
    router
        .add(
            onPath(Operation.get(FILES + "/stat"), "What is at a path")
                .answers(200, FileSchemas.ENTRY),
            this::stat)
        .add(
            onPath(Operation.get(FILES + "/list"), "What is in a folder")
                .query("depth", Schema.whole(1, DEEPEST), "How many levels down; 1 unless told")
                .answers(200, Schema.listOf(FileSchemas.ENTRY)),
            this::list)
        .add(
            onPath(Operation.get(FILES + "/tar"), "Read a folder's content, or a file, as tar")
                .answers(200, FileStreams.answer(FileStreams.TAR, "A tar stream")),
            this::download)
        .add(
            onPath(Operation.put(FILES + "/tar"), "Unpack a tar stream into a folder")
                .rawBody(FileStreams.TAR)
                .answers(204)
                .fails(507),
            this::upload);
  }

  private static Operation operation(Operation operation, String summary) {
    return operation.summary(summary).role(Role.USER).fails(409, 502, 504);
  }

  /** An operation on what the query names. */
  static Operation onPath(Operation operation, String summary) {
    return operation(operation, summary)
        .query("path", Schema.text(), "Absolute, or relative to the user's home; required")
        .query("user", Schema.text(), USER);
  }

  /** The files as the user in the query names them. */
  static FileTree tree(View forkd, Exchange exchange) {
    return forkd.inside(exchange).files(Queries.text(exchange, "user"));
  }

  private FileTree tree(Exchange exchange) {
    return tree(forkd, exchange);
  }

  private FileTree tree(Exchange exchange, Fields fields) {
    return forkd.inside(exchange).files(ProcessFields.text(fields, "user"));
  }

  /** The path in the query, which is what the request is about. */
  static String path(Exchange exchange) {
    return noted(exchange, Queries.required(exchange, "path"));
  }

  private static String path(Exchange exchange, Fields fields, String name) {
    String path =
        ProcessFields.text(fields, name)
            .orElseThrow(() -> ForkdException.badRequest("%s is missing: give a path.", name));
    return noted(exchange, path);
  }

  private static String noted(Exchange exchange, String path) {
    Subjects.note(exchange, path);
    return path;
  }

  private void read(Exchange exchange) throws IOException {
    FileTree files = tree(exchange);
    String path = path(exchange);
    long offset = Queries.whole(exchange, "offset", 0, Long.MAX_VALUE).orElse(0L);
    OptionalLong length =
        Queries.whole(exchange, "length", 0, Long.MAX_VALUE)
            .map(OptionalLong::of)
            .orElseGet(OptionalLong::empty);
    try (FileContent content = files.read(path, offset, length)) {
      FileStreams.send(exchange, content, FileStreams.BYTES);
    }
  }

  private void write(Exchange exchange) throws IOException {
    FileTree files = tree(exchange);
    String path = path(exchange);
    FileWrite how =
        new FileWrite(
            Queries.flag(exchange, "append", false),
            exchange.query("mode").map(FileRoutes::mode),
            Map.of());
    FileEntry written = SentBody.give(exchange, body -> files.write(path, how, body));
    exchange.respond(200, FileShapes.entry(written));
  }

  private void remove(Exchange exchange) throws IOException {
    FileTree files = tree(exchange);
    files.remove(path(exchange));
    exchange.respondEmpty(204);
  }

  private void stat(Exchange exchange) throws IOException {
    FileTree files = tree(exchange);
    exchange.respond(200, FileShapes.entry(files.stat(path(exchange))));
  }

  private void list(Exchange exchange) throws IOException {
    FileTree files = tree(exchange);
    String path = path(exchange);
    int depth = Queries.whole(exchange, "depth", 1, DEEPEST).orElse(1L).intValue();
    exchange.respond(200, files.list(path, depth).stream().map(FileShapes::entry).toList());
  }

  private void download(Exchange exchange) throws IOException {
    FileTree files = tree(exchange);
    try (FileContent content = files.download(path(exchange))) {
      FileStreams.send(exchange, content, FileStreams.TAR);
    }
  }

  private void upload(Exchange exchange) throws IOException {
    FileTree files = tree(exchange);
    String path = path(exchange);
    SentBody.give(
        exchange,
        body -> {
          files.upload(path, body);
          return path;
        });
    exchange.respondEmpty(204);
  }

  private void makeFolder(Exchange exchange) throws IOException {
    Fields fields = BodyReader.read(exchange.body());
    String path = path(exchange, fields, "path");
    exchange.respond(201, FileShapes.entry(tree(exchange, fields).makeFolder(path)));
  }

  private void move(Exchange exchange) throws IOException {
    Fields fields = BodyReader.read(exchange.body());
    String from = path(exchange, fields, "from");
    String to = path(exchange, fields, "to");
    exchange.respond(200, FileShapes.entry(tree(exchange, fields).move(from, to)));
  }

  private void change(Exchange exchange) throws IOException {
    Fields fields = BodyReader.read(exchange.body());
    String path = path(exchange, fields, "path");
    FileChange change =
        new FileChange(
            fields.string("mode").map(FileRoutes::mode),
            ProcessFields.text(fields, "owner"),
            ProcessFields.text(fields, "group"),
            fields.flag("recursive"));
    exchange.respond(200, FileShapes.entry(tree(exchange, fields).change(path, change)));
  }

  private static int mode(String text) {
    if (!text.matches("[0-7]{3,4}")) {
      throw ForkdException.badRequest("mode must be written in octal, such as 0644.");
    }
    return Integer.parseInt(text, 8);
  }
}
