package io.forkd.server;

import java.io.EOFException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/** A streamed answer, line by line as it comes; keepalives are passed over. */
final class Lines implements AutoCloseable {
  private final Wire wire;
  private final Answer head;
  private final StringBuilder unread = new StringBuilder();

  private Lines(Wire wire) throws IOException {
    this.wire = wire;
    this.head = wire.head();
    if (head.status() != 200 || !head.header("content-type").equals(LineStream.CONTENT_TYPE)) {
      throw new AssertionError("no lines: " + head);
    }
  }

  static Lines of(TestServer server, String method, String path, String body) throws IOException {
    Wire wire = server.tcp();
    try {
      wire.request(method, path, body);
      return new Lines(wire);
    } catch (IOException | RuntimeException | Error e) {
      wire.close();
      throw e;
    }
  }

  /** The next line, a keepalive too; empty at the end of the answer. */
  Optional<JsonNode> nextOfAny() throws IOException {
    while (unread.indexOf("\n") < 0) {
      String chunk = wire.chunk();
      if (chunk.isEmpty()) {
        if (!unread.isEmpty()) {
          throw new EOFException("The answer ended in a line: " + unread);
        }
        return Optional.empty();
      }
      unread.append(chunk);
    }
    int end = unread.indexOf("\n");
    String line = unread.substring(0, end);
    unread.delete(0, end + 1);
    return Optional.of(Answer.parse(line));
  }

  Optional<JsonNode> nextIfAny() throws IOException {
    Optional<JsonNode> line = nextOfAny();
    while (line.isPresent() && type(line.get()).equals("keepalive")) {
      line = nextOfAny();
    }
    return line;
  }

  JsonNode next() throws IOException {
    return nextIfAny().orElseThrow(() -> new AssertionError("there are no more lines"));
  }

  /** The next line, which is of that type. */
  JsonNode next(String type) throws IOException {
    JsonNode line = next();
    if (!type(line).equals(type)) {
      throw new AssertionError("not %s: %s".formatted(type, line));
    }
    return line;
  }

  /** Reads up to and with the first line of that type. */
  JsonNode until(String type) throws IOException {
    JsonNode line = next();
    while (!type(line).equals(type)) {
      line = next();
    }
    return line;
  }

  /** Reads until so much text of a type has come. */
  String text(String type, int length) throws IOException {
    StringBuilder text = new StringBuilder();
    while (text.length() < length) {
      text.append(next(type).path("text").asString());
    }
    return text.toString();
  }

  List<JsonNode> rest() throws IOException {
    List<JsonNode> all = new ArrayList<>();
    for (Optional<JsonNode> line = nextIfAny(); line.isPresent(); line = nextIfAny()) {
      all.add(line.get());
    }
    return all;
  }

  static String type(JsonNode line) {
    return line.path("type").asString();
  }

  /** All text of one type in some lines. */
  static String text(List<JsonNode> lines, String type) {
    StringBuilder text = new StringBuilder();
    for (JsonNode line : lines) {
      if (type(line).equals(type)) {
        text.append(line.path("text").asString());
      }
    }
    return text.toString();
  }

  @Override
  public void close() throws IOException {
    wire.close();
  }
}
