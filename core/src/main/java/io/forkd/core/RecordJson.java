package io.forkd.core;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.Optional;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.PropertyNamingStrategies;
import tools.jackson.databind.json.JsonMapper;

/** Turns what is kept in the registry into text and back. */
final class RecordJson {
  private static final JsonMapper JSON =
      JsonMapper.builder()
          .propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE)
          .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
          .enable(DeserializationFeature.FAIL_ON_NULL_CREATOR_PROPERTIES)
          .changeDefaultPropertyInclusion(
              inclusion -> inclusion.withValueInclusion(JsonInclude.Include.NON_ABSENT))
          .build();

  private RecordJson() {}

  static String write(Object kept) {
    return JSON.writeValueAsString(kept);
  }

  /** Empty when the text is not one of those. */
  static <T> Optional<T> read(String text, Class<T> type) {
    try {
      return Optional.ofNullable(JSON.readValue(text, type));
    } catch (JacksonException e) {
      Log.CORE.warn(
          "a {} in the registry cannot be read: {}", type.getSimpleName(), e.getOriginalMessage());
      return Optional.empty();
    }
  }
}
