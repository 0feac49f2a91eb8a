package io.forkd.server;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import tools.jackson.databind.JsonNode;

/**
 * Holds a JSON value against a schema of an OpenAPI document. Stricter than JSON Schema: a field
 * that the schema does not name is wrong, so that no field goes undocumented.
 */
final class JsonSchemaCheck {
  private static final Set<String> KNOWN =
      Set.of(
          "$ref",
          "type",
          "properties",
          "required",
          "additionalProperties",
          "items",
          "minItems",
          "enum",
          "pattern",
          "maxLength",
          "minimum",
          "maximum",
          "anyOf",
          "description");

  private final JsonNode document;
  private final List<String> problems = new ArrayList<>();

  private JsonSchemaCheck(JsonNode document) {
    this.document = document;
  }

  /** What is wrong with a value; empty when nothing is. */
  static List<String> problems(JsonNode document, JsonNode schema, JsonNode value) {
    JsonSchemaCheck check = new JsonSchemaCheck(document);
    check.check(schema, value, "$");
    return check.problems;
  }

  private void check(JsonNode schema, JsonNode value, String at) {
    schema.propertyNames().stream()
        .filter(name -> !KNOWN.contains(name))
        .forEach(name -> problems.add(at + ": the check does not know the keyword " + name));
    if (schema.has("$ref")) {
      check(resolve(schema.path("$ref").asString()), value, at);
      return;
    }
    if (schema.has("anyOf")) {
      boolean fits =
          schema
              .path("anyOf")
              .valueStream()
              .anyMatch(any -> problems(document, any, value).isEmpty());
      require(fits, at, "fits none of " + schema);
    }
    if (schema.has("type") && !isA(schema.path("type").asString(), value)) {
      problems.add("%s: is %s, not a %s".formatted(at, value, schema.path("type").asString()));
      return;
    }
    checkScalar(schema, value, at);
    if (value.isArray() && schema.has("items")) {
      require(value.size() >= schema.path("minItems").asInt(0), at, "has too few items");
      for (int i = 0; i < value.size(); i++) {
        check(schema.path("items"), value.path(i), at + "[" + i + "]");
      }
    }
    if (value.isObject() && "object".equals(schema.path("type").asString(""))) {
      checkFields(schema, value, at);
    }
  }

  private void checkScalar(JsonNode schema, JsonNode value, String at) {
    if (schema.has("enum")) {
      boolean listed = schema.path("enum").valueStream().anyMatch(value::equals);
      require(listed, at, "is %s, not one of %s".formatted(value, schema.path("enum")));
    }
    if (schema.has("pattern")) {
      boolean fits =
          Pattern.compile(schema.path("pattern").asString()).matcher(value.asString()).find();
      require(fits, at, "is %s, unlike %s".formatted(value, schema.path("pattern")));
    }
    if (schema.has("maxLength")) {
      require(value.asString().length() <= schema.path("maxLength").asInt(), at, "is too long");
    }
    if (schema.has("minimum")) {
      require(
          value.asDouble() >= schema.path("minimum").asDouble(),
          at,
          value + " is below the minimum");
    }
    if (schema.has("maximum")) {
      require(
          value.asDouble() <= schema.path("maximum").asDouble(),
          at,
          value + " is over the maximum");
    }
  }

  private void checkFields(JsonNode schema, JsonNode value, String at) {
    schema
        .path("required")
        .valueStream()
        .map(JsonNode::asString)
        .forEach(name -> require(value.has(name), at, "lacks " + name));
    JsonNode rest = schema.path("additionalProperties");
    for (String name : new TreeSet<>(value.propertyNames())) {
      if (schema.path("properties").has(name)) {
        check(schema.path("properties").path(name), value.path(name), at + "." + name);
      } else if (rest.isObject()) {
        check(rest, value.path(name), at + "." + name);
      } else {
        problems.add("%s: has %s, which is not documented".formatted(at, name));
      }
    }
  }

  private JsonNode resolve(String reference) {
    JsonNode target = document.at(reference.substring(1));
    if (!reference.startsWith("#/") || target.isMissingNode()) {
      throw new AssertionError("The reference " + reference + " leads nowhere");
    }
    return target;
  }

  private static boolean isA(String type, JsonNode value) {
    return switch (type) {
      case "string" -> value.isString();
      case "integer" -> value.isIntegralNumber();
      case "number" -> value.isNumber();
      case "boolean" -> value.isBoolean();
      case "array" -> value.isArray();
      case "object" -> value.isObject();
      case "null" -> value.isNull();
      default -> throw new AssertionError("There is no type " + type);
    };
  }

  private void require(boolean holds, String at, String what) {
    if (!holds) {
      problems.add(at + ": " + what);
    }
  }
}
