package io.forkd.client;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A JSON object with typed access; what is absent reads as the type's empty value, what has another
 * type than asked for is an error that names the field.
 */
public record JsonObject(Map<String, @Nullable Object> values) {
  public JsonObject {
    values = Collections.unmodifiableMap(new LinkedHashMap<>(values));
  }

  /** An object with these names and values, in this order. */
  public static JsonObject ofPairs(@Nullable Object... namesAndValues) {
    Map<String, @Nullable Object> values = new LinkedHashMap<>();
    for (int i = 0; i < namesAndValues.length; i += 2) {
      values.put(String.valueOf(namesAndValues[i]), namesAndValues[i + 1]);
    }
    return new JsonObject(values);
  }

  static JsonObject of(@Nullable Object value) {
    if (value instanceof Map<?, ?> map) {
      Map<String, @Nullable Object> values = new LinkedHashMap<>();
      map.forEach((name, item) -> values.put(name.toString(), item));
      return new JsonObject(values);
    }
    throw wrongType("the answer", "an object", value);
  }

  static List<JsonObject> listOf(@Nullable Object value) {
    if (value instanceof List<?> items) {
      return items.stream().map(JsonObject::of).toList();
    }
    throw wrongType("the answer", "an array", value);
  }

  /** The text under a name, empty when absent. */
  public String text(String name) {
    return optionalText(name).orElse("");
  }

  public Optional<String> optionalText(String name) {
    return typed(name, "text", String.class);
  }

  /** The whole number under a name, 0 when absent. */
  public long number(String name) {
    return optionalNumber(name).orElse(0L);
  }

  public int integer(String name) {
    return Math.toIntExact(number(name));
  }

  public Optional<Long> optionalNumber(String name) {
    return typed(name, "a number", Number.class).map(Number::longValue);
  }

  public Optional<Double> optionalDecimal(String name) {
    return typed(name, "a number", Number.class).map(Number::doubleValue);
  }

  /** The moment under a name, told in unix seconds. */
  public Optional<Instant> optionalInstant(String name) {
    return optionalNumber(name).map(Instant::ofEpochSecond);
  }

  public boolean flag(String name) {
    return typed(name, "true or false", Boolean.class).orElse(false);
  }

  public Optional<JsonObject> object(String name) {
    return Optional.ofNullable(values.get(name)).map(JsonObject::of);
  }

  /** The object under a name; its absence is an error. */
  JsonObject requiredObject(String name) {
    return object(name).orElseThrow(() -> wrongType(name, "an object", null));
  }

  /** The objects of an array, none when it is absent. */
  public List<JsonObject> objects(String name) {
    List<?> items = typed(name, "an array", List.class).orElse(List.of());
    return items.stream().map(JsonObject::of).toList();
  }

  public List<String> texts(String name) {
    List<?> items = typed(name, "an array", List.class).orElse(List.of());
    return items.stream().map(String::valueOf).toList();
  }

  /** The numbers of an object of numbers, in their order. */
  public Map<String, Double> decimals(String name) {
    Map<String, Double> decimals = new LinkedHashMap<>();
    object(name)
        .ifPresent(
            object ->
                object.values.forEach(
                    (key, value) -> {
                      if (value instanceof Number number) {
                        decimals.put(key, number.doubleValue());
                      }
                    }));
    return decimals;
  }

  /** The texts of an object of texts, in their order; none when it is absent. */
  public Map<String, String> pairs(String name) {
    Map<String, String> pairs = new LinkedHashMap<>();
    object(name)
        .ifPresent(
            object -> object.values.forEach((key, value) -> pairs.put(key, String.valueOf(value))));
    return pairs;
  }

  /** This object with one more field; absent optionals are left out. */
  JsonObject with(String name, Optional<?> value) {
    if (value.isEmpty()) {
      return this;
    }
    Map<String, @Nullable Object> more = new LinkedHashMap<>(values);
    more.put(name, value.get());
    return new JsonObject(more);
  }

  JsonObject with(String name, List<?> items) {
    return with(name, Optional.of(new ArrayList<>(items)));
  }

  @Override
  public String toString() {
    return Json.write(values);
  }

  private <T> Optional<T> typed(String name, String expected, Class<T> type) {
    Object value = values.get(name);
    if (value != null && !type.isInstance(value)) {
      throw wrongType(name, expected, value);
    }
    return Optional.ofNullable(value).map(type::cast);
  }

  private static ForkdClientException wrongType(
      String name, String expected, @Nullable Object found) {
    return new ForkdClientException(
        ForkdClientException.BROKEN,
        "Expected %s to be %s and found %s. Next: check that client and daemon are of one version."
            .formatted(
                name, expected, found == null ? "nothing" : found.getClass().getSimpleName()));
  }
}
