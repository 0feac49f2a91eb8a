package io.forkd.client;

import java.util.Map;
import java.util.Optional;

/** Something that happened while code ran in a context. */
public sealed interface CodeEvent {
  JsonObject json();

  /**
   * It began.
   *
   * @param count how many pieces of code the context has run with it
   */
  record Began(long count, JsonObject json) implements CodeEvent {}

  /** It wrote text. */
  record Text(boolean error, String text, JsonObject json) implements CodeEvent {}

  /**
   * It has a result to show.
   *
   * @param main whether it is the value of the last expression
   * @param formats the same in each format there is, such as {@code text}, {@code html} or {@code
   *     png}; pictures in base64
   */
  record Result(boolean main, Map<String, String> formats, JsonObject json) implements CodeEvent {}

  /** It failed. */
  record Failure(String name, String value, String traceback, JsonObject json)
      implements CodeEvent {}

  /** It ended. */
  record Ended(JsonObject json) implements CodeEvent {}

  /** Reads one; empty for signs of life and what a later daemon may tell. */
  static Optional<CodeEvent> from(JsonObject json) {
    return switch (json.text("type")) {
      case "begin" -> Optional.of(new Began(json.number("count"), json));
      case "stdout" -> Optional.of(new Text(false, json.text("text"), json));
      case "stderr" -> Optional.of(new Text(true, json.text("text"), json));
      case "result" -> Optional.of(new Result(json.flag("main"), json.pairs("formats"), json));
      case "failure" ->
          Optional.of(
              new Failure(json.text("name"), json.text("value"), json.text("traceback"), json));
      case "end" -> Optional.of(new Ended(json));
      default -> Optional.empty();
    };
  }
}
