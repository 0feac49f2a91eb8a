package io.forkd.server.http;

import io.forkd.base.ForkdException;
import io.forkd.base.Printable;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.core.json.JsonFactory;

/** Reads a JSON text into plain maps, lists, strings, numbers and booleans. */
public final class JsonParse {
  private static final JsonFactory FACTORY =
      JsonFactory.builder()
          .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
          .streamReadConstraints(StreamReadConstraints.builder().maxNestingDepth(64).build())
          .build();

  private JsonParse() {}

  /** The one value of a text; what is no JSON, or has more after it, is refused. */
  public static @Nullable Object value(byte[] json) {
    try (JsonParser parser = FACTORY.createParser(ObjectReadContext.empty(), json)) {
      Object value = value(parser, parser.nextToken());
      if (parser.nextToken() != null) {
        throw ForkdException.badRequest(
            "The body goes on after its JSON value: send one JSON object.");
      }
      return value;
    } catch (JacksonException e) {
      throw ForkdException.badRequest(
          "The body is not valid JSON: %s",
          Printable.shorten(String.valueOf(e.getOriginalMessage())));
    }
  }

  private static @Nullable Object value(JsonParser parser, @Nullable JsonToken token) {
    if (token == null) {
      throw ForkdException.badRequest("The body is blank or ends too early: send a JSON object.");
    }
    return switch (token) {
      case START_OBJECT -> object(parser);
      case START_ARRAY -> array(parser);
      case VALUE_STRING -> parser.getString();
      case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT -> parser.getNumberValue();
      case VALUE_TRUE -> true;
      case VALUE_FALSE -> false;
      default -> null;
    };
  }

  private static Map<String, @Nullable Object> object(JsonParser parser) {
    Map<String, @Nullable Object> fields = new HashMap<>();
    while (parser.nextToken() == JsonToken.PROPERTY_NAME) {
      String name = parser.currentName();
      fields.put(name, value(parser, parser.nextToken()));
    }
    return fields;
  }

  private static List<@Nullable Object> array(JsonParser parser) {
    List<@Nullable Object> items = new ArrayList<>();
    for (JsonToken token = parser.nextToken();
        token != JsonToken.END_ARRAY;
        token = parser.nextToken()) {
      items.add(value(parser, token));
    }
    return items;
  }
}
