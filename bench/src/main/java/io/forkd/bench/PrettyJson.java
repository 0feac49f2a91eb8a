package io.forkd.bench;

import io.forkd.client.JsonObject;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

/** JSON in lines, for files that people look into and version control compares. */
final class PrettyJson {
  private static final JsonMapper MAPPER =
      JsonMapper.builder().enable(SerializationFeature.INDENT_OUTPUT).build();

  private PrettyJson() {}

  static String of(JsonObject json) {
    return MAPPER.writeValueAsString(MAPPER.readTree(json.toString())) + "\n";
  }
}
