package io.forkd.server.e2b;

import io.forkd.base.ForkdException;
import io.forkd.server.http.JsonParse;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A JSON object that a client sent. Names are found in camel and in snake case, and null is the
 * same as absent, as in the JSON of protocol buffers; a wrong type is refused.
 */
record Body(Map<?, ?> fields) {
  private static final Body EMPTY = new Body(Map.of());

  /** No body is an empty object. */
  static Body read(byte[] json) {
    if (json.length == 0) {
      return EMPTY;
    }
    if (JsonParse.value(json) instanceof Map<?, ?> map) {
      return new Body(map);
    }
    throw ForkdException.badRequest("The body is no JSON object: send one.");
  }

  boolean has(String name) {
    return get(name) != null;
  }

  Optional<String> text(String name) {
    return switch (get(name)) {
      case null -> Optional.empty();
      case String text -> Optional.of(text);
      case Object _ -> throw wrong(name, "a string");
    };
  }

  String requiredText(String name) {
    return text(name)
        .orElseThrow(() -> ForkdException.badRequest("%s is missing: expected a string.", name));
  }

  /** A whole number, which may come as text. */
  Optional<Long> number(String name) {
    return switch (get(name)) {
      case null -> Optional.empty();
      case Integer number -> Optional.of(number.longValue());
      case Long number -> Optional.of(number);
      case Double number when number == Math.rint(number) && Math.abs(number) < 1e15 ->
          Optional.of(number.longValue());
      case String text when text.matches("-?[0-9]{1,18}") -> Optional.of(Long.parseLong(text));
      case Object _ -> throw wrong(name, "a whole number");
    };
  }

  /** A whole number in a range. */
  Optional<Integer> number(String name, int least, int most) {
    Optional<Long> number = number(name);
    if (number.isPresent() && (number.get() < least || number.get() > most)) {
      throw ForkdException.badRequest("%s is %d: use %d to %d.", name, number.get(), least, most);
    }
    return number.map(Long::intValue);
  }

  Optional<Boolean> flag(String name) {
    return switch (get(name)) {
      case null -> Optional.empty();
      case Boolean flag -> Optional.of(flag);
      case Object _ -> throw wrong(name, "true or false");
    };
  }

  Optional<byte[]> bytes(String name) {
    return text(name).map(text -> decoded(name, text));
  }

  private static byte[] decoded(String name, String text) {
    try {
      return Base64.getDecoder().decode(text.replace('-', '+').replace('_', '/'));
    } catch (IllegalArgumentException e) {
      throw wrong(name, "bytes in base64");
    }
  }

  Optional<Body> object(String name) {
    return switch (get(name)) {
      case null -> Optional.empty();
      case Map<?, ?> map -> Optional.of(new Body(map));
      case Object _ -> throw wrong(name, "an object");
    };
  }

  List<String> texts(String name) {
    return switch (get(name)) {
      case null -> List.of();
      case List<?> items -> {
        List<String> texts = new ArrayList<>();
        for (Object item : items) {
          if (!(item instanceof String text)) {
            throw wrong(name, "an array of strings");
          }
          texts.add(text);
        }
        yield texts;
      }
      case Object _ -> throw wrong(name, "an array of strings");
    };
  }

  /** An object whose values are strings. */
  Map<String, String> pairs(String name) {
    Map<String, String> pairs = new LinkedHashMap<>();
    object(name)
        .ifPresent(
            object ->
                object
                    .fields()
                    .forEach(
                        (key, value) -> {
                          if (!(value instanceof String text)) {
                            throw wrong(name, "an object of strings");
                          }
                          pairs.put(String.valueOf(key), text);
                        }));
    return pairs;
  }

  /** The one of several names that is there, as in a oneof of protocol buffers. */
  Optional<String> which(String... names) {
    for (String name : names) {
      if (has(name)) {
        return Optional.of(name);
      }
    }
    return Optional.empty();
  }

  private @Nullable Object get(String name) {
    Object value = fields.get(name);
    return value != null ? value : fields.get(snake(name));
  }

  private static String snake(String name) {
    return name.replaceAll("([A-Z])", "_$1").toLowerCase(Locale.ROOT);
  }

  private static ForkdException wrong(String name, String expected) {
    return ForkdException.badRequest("%s has the wrong type: expected %s.", name, expected);
  }
}
