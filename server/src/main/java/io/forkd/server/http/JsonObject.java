package io.forkd.server.http;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A JSON object under construction, its fields in the order they were added. */
public final class JsonObject {
  private final Map<String, @Nullable Object> fields = new LinkedHashMap<>();

  /** The value is a string, number, boolean, list, map or another object. */
  public JsonObject with(String name, Object value) {
    fields.put(name, value);
    return this;
  }

  /** Leaves the field out when there is no value. */
  public JsonObject withOptional(String name, Optional<?> value) {
    value.ifPresent(present -> fields.put(name, present));
    return this;
  }

  /** Writes {@code null} when there is no value, for fields that clients expect always. */
  public JsonObject withNullable(String name, Optional<?> value) {
    fields.put(name, value.orElse(null));
    return this;
  }

  Map<String, @Nullable Object> fields() {
    return Collections.unmodifiableMap(fields);
  }
}
