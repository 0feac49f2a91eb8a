package io.forkd.guest;

import io.forkd.base.ErrorCode;
import io.forkd.base.ForkdException;
import java.io.ByteArrayOutputStream;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The events of running code out of the bytes a kernel sends, one JSON object a line.
 *
 * <p>User code could write there too, so that nonsense fails the execution and nothing else.
 */
final class EventLines {
  /** More than any event of a kernel takes. */
  static final int LONGEST = 24 * 1024 * 1024;

  private static final JsonMapper JSON = JsonMapper.builder().build();

  private final ByteArrayOutputStream begun = new ByteArrayOutputStream();
  private byte[] bytes = new byte[0];
  private int at;

  /** Takes bytes in; those before have been taken out. */
  void add(byte[] more) {
    if (!isEmpty()) {
      throw new IllegalStateException("there are events to take out first");
    }
    bytes = more;
    at = 0;
  }

  /** Whether all whole events have been taken out. */
  boolean isEmpty() {
    return at == bytes.length;
  }

  /** The next whole event; those of a kind that is not known are left out. */
  Optional<CodeEvent> next() {
    for (int i = at; i < bytes.length; i++) {
      if (bytes[i] == '\n') {
        begun.write(bytes, at, i - at);
        at = i + 1;
        byte[] line = begun.toByteArray();
        begun.reset();
        Optional<CodeEvent> event = parse(line);
        if (event.isPresent()) {
          return event;
        }
      }
    }
    begun.write(bytes, at, bytes.length - at);
    at = bytes.length;
    if (begun.size() > LONGEST) {
      throw nonsense("an event of more than %d bytes".formatted(LONGEST), null);
    }
    return Optional.empty();
  }

  /** Whether a kernel's answer says that the code is done. */
  static boolean isEnd(byte[] answer) {
    return read(answer).path("end").asBoolean(false);
  }

  private static JsonNode read(byte[] json) {
    try {
      return JSON.readTree(json);
    } catch (JacksonException e) {
      throw nonsense("something that is not JSON", e);
    }
  }

  private static Optional<CodeEvent> parse(byte[] line) {
    JsonNode node = read(line);
    CodeEvent event =
        switch (text(node, "type")) {
          case "begin" -> new CodeEvent.Began(node.path("count").asInt(0));
          case "stdout" -> new CodeEvent.Stdout(text(node, "text"));
          case "stderr" -> new CodeEvent.Stderr(text(node, "text"));
          case "result" -> new CodeEvent.Result(node.path("main").asBoolean(false), formats(node));
          case "failure" ->
              new CodeEvent.Failed(
                  text(node, "name"), text(node, "value"), text(node, "traceback"));
          default -> null;
        };
    return Optional.ofNullable(event);
  }

  private static Map<String, String> formats(JsonNode node) {
    Map<String, String> formats = new LinkedHashMap<>();
    node.path("formats")
        .properties()
        .forEach(e -> formats.put(e.getKey(), e.getValue().asString("")));
    return formats;
  }

  private static String text(JsonNode node, String field) {
    return node.path(field).asString("");
  }

  private static ForkdException nonsense(String what, @Nullable Throwable cause) {
    return new ForkdException(
        ErrorCode.GUEST_FAILED,
        "The kernel of a context in the guest sent %s: restart the context.".formatted(what),
        cause);
  }
}
