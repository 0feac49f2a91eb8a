package io.forkd.guest;

import java.util.Map;

/** Something running code did. */
public sealed interface CodeEvent {
  /** It began, as the count-th of its context. */
  record Began(int count) implements CodeEvent {}

  /** It wrote text. */
  record Stdout(String text) implements CodeEvent {}

  /** It wrote text to its standard error. */
  record Stderr(String text) implements CodeEvent {}

  /**
   * It showed something, or this is its value.
   *
   * @param main whether this is the value of the code's last expression
   * @param formats the same in several formats, by name: text, html, markdown, svg, png, jpeg, pdf,
   *     latex, json, javascript; binary ones in base64, json as JSON text
   */
  record Result(boolean main, Map<String, String> formats) implements CodeEvent {
    public Result {
      formats = Map.copyOf(formats);
    }
  }

  /** It failed. */
  record Failed(String name, String value, String traceback) implements CodeEvent {}

  /** It is done; nothing comes any more. */
  record Finished() implements CodeEvent {}
}
