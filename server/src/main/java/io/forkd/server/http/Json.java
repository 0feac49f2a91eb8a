package io.forkd.server.http;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.core.json.JsonWriteFeature;

/**
 * Writes JSON with Jackson's generator alone: the wire's shapes are spelled out by hand, and
 * data-binding would cost the daemon some 100 ms of its start.
 */
public final class Json {
  private static final JsonFactory FACTORY = new JsonFactory();
  private static final JsonFactory ASCII_FACTORY =
      JsonFactory.builder().enable(JsonWriteFeature.ESCAPE_NON_ASCII).build();

  private Json() {}

  public static JsonObject object() {
    return new JsonObject();
  }

  public static JsonObject error(String message) {
    return object().with("error", message);
  }

  public static byte[] bytes(Object value) {
    return write(FACTORY, value);
  }

  /** In ASCII on one line, as a header needs it. */
  public static String ascii(Object value) {
    return new String(write(ASCII_FACTORY, value), StandardCharsets.US_ASCII);
  }

  private static byte[] write(JsonFactory factory, Object value) {
    ByteArrayOutputStream out = new ByteArrayOutputStream(512);
    try (JsonGenerator generator = factory.createGenerator(ObjectWriteContext.empty(), out)) {
      write(generator, value);
    }
    return out.toByteArray();
  }

  private static void write(JsonGenerator generator, @Nullable Object value) {
    switch (value) {
      case null -> generator.writeNull();
      case JsonObject object -> writeObject(generator, object.fields());
      case Map<?, ?> map -> writeObject(generator, map);
      case Collection<?> list -> writeArray(generator, list);
      case Boolean bool -> generator.writeBoolean(bool);
      case Integer number -> generator.writeNumber(number);
      case Long number -> generator.writeNumber(number);
      case Double number when Double.isFinite(number) -> generator.writeNumber(number);
      case Double _ -> generator.writeNull();
      default -> generator.writeString(wellFormed(value.toString()));
    }
  }

  private static void writeObject(JsonGenerator generator, Map<?, ?> fields) {
    generator.writeStartObject();
    fields.forEach(
        (name, value) -> {
          generator.writeName(String.valueOf(name));
          write(generator, value);
        });
    generator.writeEndObject();
  }

  private static void writeArray(JsonGenerator generator, Collection<?> list) {
    generator.writeStartArray();
    for (Object value : list) {
      write(generator, value);
    }
    generator.writeEndArray();
  }

  /** Guests may send half of a surrogate pair, which UTF-8 cannot say. */
  private static String wellFormed(String text) {
    if (!hasSurrogate(text)) {
      return text;
    }
    return text.codePoints()
        .map(codePoint -> isSurrogate(codePoint) ? '\uFFFD' : codePoint)
        .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
        .toString();
  }

  /** A plain loop: outputs have megabytes, and a stream over them would keep others waiting. */
  private static boolean hasSurrogate(String text) {
    for (int i = 0; i < text.length(); i++) {
      if (Character.isSurrogate(text.charAt(i))) {
        return true;
      }
    }
    return false;
  }

  private static boolean isSurrogate(int codePoint) {
    return codePoint >= Character.MIN_SURROGATE && codePoint <= Character.MAX_SURROGATE;
  }
}
