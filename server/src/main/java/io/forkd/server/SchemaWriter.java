package io.forkd.server;

import io.forkd.server.http.Json;
import io.forkd.server.http.JsonObject;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/** Writes schemas as JSON Schema; shapes with a name are written once and referred to. */
final class SchemaWriter {
  private final SortedMap<String, Schema.Shape> named = new TreeMap<>();

  /** The shapes that were referred to, by name. */
  Map<String, JsonObject> components() {
    SortedMap<String, JsonObject> written = new TreeMap<>();
    // Writing a shape may name more of them.
    while (written.size() < named.size()) {
      for (Schema.Shape shape : List.copyOf(named.values())) {
        shape.name().ifPresent(name -> written.computeIfAbsent(name, _ -> object(shape)));
      }
    }
    return written;
  }

  JsonObject write(Schema schema) {
    return switch (schema) {
      case Schema.Text text ->
          type("string")
              .withOptional("pattern", text.pattern().map("^(?:%s)$"::formatted))
              .withOptional("enum", Optional.of(text.values()).filter(values -> !values.isEmpty()))
              .withOptional("maxLength", text.longest());
      case Schema.Whole whole ->
          type("integer")
              .withOptional("minimum", whole.least())
              .withOptional("maximum", whole.most());
      case Schema.Decimal decimal ->
          type("number")
              .withOptional("minimum", decimal.least())
              .withOptional("maximum", decimal.most());
      case Schema.Flag _ -> type("boolean");
      case Schema.ListOf list ->
          type("array")
              .with("items", write(list.items()))
              .withOptional("minItems", Optional.of(list.fewest()).filter(fewest -> fewest > 0));
      case Schema.MapOf map -> type("object").with("additionalProperties", write(map.values()));
      case Schema.OrNull orNull ->
          Json.object().with("anyOf", List.of(write(orNull.schema()), type("null")));
      case Schema.AnyOf any ->
          Json.object().with("anyOf", any.choices().stream().map(this::write).toList());
      case Schema.Anything _ -> Json.object();
      case Schema.Shape shape ->
          shape.name().map(name -> refer(name, shape)).orElseGet(() -> object(shape));
    };
  }

  private JsonObject refer(String name, Schema.Shape shape) {
    Schema.Shape known = named.putIfAbsent(name, shape);
    if (known != null && !known.equals(shape)) {
      throw new IllegalStateException("Two different shapes are called " + name);
    }
    return Json.object().with("$ref", "#/components/schemas/" + name);
  }

  private JsonObject object(Schema.Shape shape) {
    JsonObject properties = Json.object();
    for (Schema.Field field : shape.fields()) {
      JsonObject property = write(field.schema());
      properties.with(
          field.name(),
          field.about().isEmpty() ? property : property.with("description", field.about()));
    }
    List<String> required =
        shape.fields().stream().filter(Schema.Field::required).map(Schema.Field::name).toList();
    return type("object")
        .with("properties", properties)
        .withOptional("required", Optional.of(required).filter(names -> !names.isEmpty()));
  }

  private static JsonObject type(String type) {
    return Json.object().with("type", type);
  }
}
