package io.forkd.client;

import java.io.StringWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.json.JsonFactory;

/**
 * JSON as plain Java values: {@code Map}, {@code List}, {@code String}, {@code Long}, {@code
 * Double}, {@code Boolean} and {@code null}.
 */
public final class Json {
  private static final JsonFactory FACTORY = new JsonFactory();

  private Json() {}

  /** Reads one JSON document that is an object. */
  public static JsonObject parseObject(String text) {
    return JsonObject.of(parse(text));
  }

  /** Reads one JSON document. */
  public static @Nullable Object parse(String text) {
    try (JsonParser parser = FACTORY.createParser(ObjectReadContext.empty(), text)) {
      parser.nextToken();
      Object value = read(parser);
      if (parser.nextToken() != null) {
        throw malformed(text, null);
      }
      return value;
    } catch (JacksonException e) {
      throw malformed(text, e);
    }
  }

  /**
   * Writes a value made of the types above, {@link JsonObject}s, paths and {@code Optional}s of
   * them.
   */
  public static String write(@Nullable Object value) {
    StringWriter text = new StringWriter();
    try (JsonGenerator generator = FACTORY.createGenerator(ObjectWriteContext.empty(), text)) {
      write(generator, value);
    }
    return text.toString();
  }

  private static ForkdClientException malformed(String text, @Nullable Exception cause) {
    String shown = text.length() > 80 ? text.substring(0, 80) + "…" : text;
    return new ForkdClientException(
        ForkdClientException.BROKEN,
        "Expected JSON from the daemon and found '%s'. Next: check that the address belongs to forkd."
            .formatted(shown),
        cause);
  }

  private static @Nullable Object read(JsonParser parser) {
    JsonToken token = parser.currentToken();
    if (token == null) {
      throw malformed("", null);
    }
    return switch (token) {
      case START_OBJECT -> readMap(parser);
      case START_ARRAY -> readList(parser);
      case VALUE_STRING -> parser.getString();
      case VALUE_NUMBER_INT -> readInteger(parser);
      case VALUE_NUMBER_FLOAT -> parser.getDoubleValue();
      case VALUE_TRUE -> true;
      case VALUE_FALSE -> false;
      case VALUE_NULL -> null;
      case NOT_AVAILABLE, END_OBJECT, END_ARRAY, PROPERTY_NAME, VALUE_EMBEDDED_OBJECT ->
          throw malformed(token.toString(), null);
    };
  }

  private static Number readInteger(JsonParser parser) {
    return switch (parser.getNumberType()) {
      case INT, LONG -> parser.getLongValue();
      case BIG_INTEGER, FLOAT, DOUBLE, BIG_DECIMAL -> parser.getDoubleValue();
    };
  }

  private static Map<String, @Nullable Object> readMap(JsonParser parser) {
    Map<String, @Nullable Object> map = new LinkedHashMap<>();
    while (parser.nextToken() == JsonToken.PROPERTY_NAME) {
      String name = parser.currentName();
      parser.nextToken();
      map.put(name, read(parser));
    }
    return map;
  }

  private static List<@Nullable Object> readList(JsonParser parser) {
    List<@Nullable Object> list = new ArrayList<>();
    while (parser.nextToken() != JsonToken.END_ARRAY) {
      list.add(read(parser));
    }
    return list;
  }

  // Not a pattern switch: the JVM makes a class for each at run time, which delays a first call.
  private static void write(JsonGenerator generator, @Nullable Object value) {
    if (value == null) {
      generator.writeNull();
    } else if (value instanceof Boolean flag) {
      generator.writeBoolean(flag);
    } else if (value instanceof Number number) {
      writeNumber(generator, number);
    } else if (value instanceof Optional<?> optional) {
      write(generator, optional.orElse(null));
    } else if (value instanceof JsonObject object) {
      writeMap(generator, object.values());
    } else if (value instanceof Map<?, ?> map) {
      writeMap(generator, map);
    } else if (value instanceof Path path) {
      // A path is also an Iterable of its parts.
      generator.writeString(path.toString());
    } else if (value instanceof Iterable<?> items) {
      writeList(generator, items);
    } else {
      generator.writeString(value.toString());
    }
  }

  private static void writeNumber(JsonGenerator generator, Number number) {
    if (!(number instanceof Double decimal)) {
      generator.writeNumber(number.longValue());
    } else if (Double.isFinite(decimal)) {
      generator.writeNumber(decimal);
    } else {
      generator.writeNull();
    }
  }

  private static void writeMap(JsonGenerator generator, Map<?, ?> map) {
    generator.writeStartObject();
    map.forEach(
        (name, value) -> {
          generator.writeName(name.toString());
          write(generator, value);
        });
    generator.writeEndObject();
  }

  private static void writeList(JsonGenerator generator, Iterable<?> items) {
    generator.writeStartArray();
    for (Object item : items) {
      write(generator, item);
    }
    generator.writeEndArray();
  }
}
