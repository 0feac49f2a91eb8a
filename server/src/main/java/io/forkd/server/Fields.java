package io.forkd.server;

import io.forkd.base.ForkdException;
import io.forkd.base.Printable;
import io.forkd.base.Tag;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The fields of a request, taken out by name and type. Absent and {@code null} are the same; a
 * wrong type is refused naming the field, what was expected and what was found.
 */
final class Fields {
  static final int A_YEAR_IN_SECONDS = 31_536_000;

  private final Map<?, ?> fields;

  Fields(Map<?, ?> fields) {
    this.fields = fields;
  }

  boolean has(String name) {
    return fields.get(name) != null;
  }

  /** Whether the field is there, be it {@code null}. */
  boolean mentions(String name) {
    return fields.containsKey(name);
  }

  String requiredString(String name) {
    return required(name, "a string", string(name));
  }

  Optional<String> string(String name) {
    return switch (fields.get(name)) {
      case null -> Optional.empty();
      case String text -> Optional.of(text);
      case Object other -> throw wrongType(name, "a string", other);
    };
  }

  boolean isString(String name) {
    return fields.get(name) instanceof String;
  }

  boolean flag(String name) {
    return choice(name).orElse(false);
  }

  /** A flag for which absent means neither. */
  Optional<Boolean> choice(String name) {
    return switch (fields.get(name)) {
      case null -> Optional.empty();
      case Boolean value -> Optional.of(value);
      case Object other -> throw wrongType(name, "true or false", other);
    };
  }

  /** One of an enum's constants, in the words of {@link Shapes#word}. */
  <E extends Enum<E>> Optional<E> oneOf(String name, Class<E> type) {
    return string(name).map(word -> constant(name, word, type));
  }

  Tag requiredTag(String name) {
    return tag(name, requiredString(name));
  }

  Optional<Tag> tag(String name) {
    return string(name).map(text -> tag(name, text));
  }

  Optional<Integer> integer(String name, int least, int most) {
    return switch (fields.get(name)) {
      case null -> Optional.empty();
      case Integer value when value >= least && value <= most -> Optional.of(value);
      case Integer value -> throw outOfRange(name, value, least, most);
      case Long value -> throw outOfRange(name, value, least, most);
      case BigInteger value -> throw outOfRange(name, shorten(value), least, most);
      case Object other -> throw wrongType(name, "an integer", other);
    };
  }

  int requiredInteger(String name, int least, int most) {
    return required(name, "an integer", integer(name, least, most));
  }

  Optional<Long> longInteger(String name, long least, long most) {
    return switch (fields.get(name)) {
      case null -> Optional.empty();
      case Integer value -> Optional.of(within(name, value, least, most));
      case Long value -> Optional.of(within(name, value, least, most));
      case BigInteger value -> throw outOfRange(name, shorten(value), least, most);
      case Object other -> throw wrongType(name, "an integer", other);
    };
  }

  /** A number, with or without a fraction; its range is the reader's to check. */
  Optional<Double> decimal(String name) {
    return switch (fields.get(name)) {
      case null -> Optional.empty();
      case Number number -> Optional.of(number.doubleValue());
      case Object other -> throw wrongType(name, "a number", other);
    };
  }

  /** A list of strings; absent, it is empty. */
  List<String> strings(String name) {
    return switch (fields.get(name)) {
      case null -> List.of();
      case List<?> items -> strings(name, items);
      case Object other -> throw wrongType(name, "an array of strings", other);
    };
  }

  /** An object whose values are strings. */
  Optional<Map<String, String>> pairs(String name) {
    return object(name, "an object of strings").map(inner -> inner.allPairs(name + "."));
  }

  /**
   * All fields, which are strings.
   *
   * @param prefix of their names where one is not
   */
  Map<String, String> allPairs(String prefix) {
    Map<String, String> pairs = new HashMap<>();
    fields.forEach(
        (key, value) -> {
          if (!(value instanceof String text)) {
            throw wrongType(prefix + shorten(key), "a string", value);
          }
          pairs.put(key.toString(), text);
        });
    return pairs;
  }

  /** A string or, as the second choice, an object. */
  <T> Optional<T> stringOrObject(
      String name, Function<String, T> ofString, Function<Fields, T> ofObject) {
    return fields.get(name) instanceof String text
        ? Optional.of(ofString.apply(text))
        : object(name, "a string or an object").map(ofObject);
  }

  Optional<Fields> object(String name, String expected) {
    return switch (fields.get(name)) {
      case null -> Optional.empty();
      case Map<?, ?> map -> Optional.of(new Fields(map));
      case Object other -> throw wrongType(name, expected, other);
    };
  }

  /** A number of seconds, with or without a fraction. */
  Optional<Duration> seconds(String name, int least, int most) {
    return switch (fields.get(name)) {
      case null -> Optional.empty();
      case Number number -> Optional.of(duration(name, number, least, most));
      case Object other -> throw wrongType(name, "a number of seconds", other);
    };
  }

  /** How long something may live. */
  Optional<Duration> ttl(String name) {
    return seconds(name, 1, A_YEAR_IN_SECONDS);
  }

  /** A host path, which must not depend on where the daemon was started. */
  Optional<Path> absolutePath(String name) {
    return string(name).map(text -> absolute(name, text));
  }

  /** A list of strings that can be a process's arguments. */
  List<String> arguments(String name) {
    if (!(required(name, "an array of strings", Optional.ofNullable(fields.get(name)))
        instanceof List<?> items)) {
      throw wrongType(name, "an array of strings", fields.get(name));
    }
    if (items.isEmpty()) {
      throw ForkdException.badRequest("%s is empty: give the program and its arguments.", name);
    }
    List<String> arguments = strings(name, items);
    for (int i = 0; i < arguments.size(); i++) {
      if (arguments.get(i).indexOf('\0') >= 0) {
        throw ForkdException.badRequest("%s[%d] contains a NUL character: leave it out.", name, i);
      }
    }
    return arguments;
  }

  private static List<String> strings(String name, List<?> items) {
    List<String> strings = new ArrayList<>(items.size());
    for (int i = 0; i < items.size(); i++) {
      if (!(items.get(i) instanceof String string)) {
        throw wrongType("%s[%d]".formatted(name, i), "a string", items.get(i));
      }
      strings.add(string);
    }
    return strings;
  }

  private static long within(String name, long value, long least, long most) {
    if (value < least || value > most) {
      throw outOfRange(name, value, least, most);
    }
    return value;
  }

  private static <E extends Enum<E>> E constant(String name, String word, Class<E> type) {
    List<E> constants = List.of(type.getEnumConstants());
    return constants.stream()
        .filter(constant -> Shapes.word(constant).equals(word))
        .findFirst()
        .orElseThrow(
            () ->
                ForkdException.badRequest(
                    "%s is '%s': use one of %s.",
                    name,
                    Printable.shorten(word),
                    String.join(", ", constants.stream().map(Shapes::word).toList())));
  }

  private static Tag tag(String name, String text) {
    try {
      return Tag.of(text);
    } catch (ForkdException e) {
      throw new ForkdException(e.code(), "%s: %s".formatted(name, e.getMessage()), e);
    }
  }

  private static Duration duration(String name, Number number, int least, int most) {
    double seconds = number.doubleValue();
    if (!(seconds >= least && seconds <= most)) {
      throw outOfRange(name, shorten(number), least, most);
    }
    return Duration.ofNanos(Math.round(seconds * 1e9));
  }

  private static Path absolute(String name, String text) {
    try {
      Path path = Path.of(text);
      if (path.isAbsolute()) {
        return path.normalize();
      }
    } catch (InvalidPathException e) {
      throw ForkdException.badRequest("%s is not a path: %s.", name, e.getReason());
    }
    throw ForkdException.badRequest(
        "%s is a relative path: give an absolute path on the daemon's host.", name);
  }

  private static <T> T required(String name, String type, Optional<T> value) {
    return value.orElseThrow(
        () -> ForkdException.badRequest("%s is missing: expected %s.", name, type));
  }

  private static ForkdException wrongType(String name, String expected, @Nullable Object found) {
    return ForkdException.badRequest(
        "%s has the wrong type: expected %s, found %s.", name, expected, kind(found));
  }

  private static ForkdException outOfRange(String name, Object found, long least, long most) {
    return ForkdException.badRequest("%s is %s: use %d to %d.", name, found, least, most);
  }

  private static String shorten(Object value) {
    String text = Printable.shorten(value.toString());
    return text.length() > 24 ? text.substring(0, 24) + "…" : text;
  }

  static String kind(@Nullable Object value) {
    return switch (value) {
      case null -> "null";
      case String _ -> "a string";
      case Boolean _ -> "a boolean";
      case Float _, Double _, BigDecimal _ -> "a number with a fraction";
      case Number _ -> "an integer";
      case List<?> _ -> "an array";
      default -> "an object";
    };
  }
}
