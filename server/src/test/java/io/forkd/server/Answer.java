package io.forkd.server;

import java.nio.charset.StandardCharsets;
import java.util.Map;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** What came back: header names in lower case. */
record Answer(int status, Map<String, String> headers, byte[] bytes) {
  private static final JsonMapper MAPPER = new JsonMapper();

  String text() {
    return new String(bytes, StandardCharsets.UTF_8);
  }

  JsonNode json() {
    return MAPPER.readTree(bytes);
  }

  static JsonNode parse(String json) {
    return MAPPER.readTree(json);
  }

  String header(String name) {
    return headers.getOrDefault(name, "");
  }

  /** The message of an error body, which has that field and no other. */
  String error() {
    JsonNode json = json();
    if (json.size() != 1 || !json.path("error").isString()) {
      throw new AssertionError("Not an error body: " + text());
    }
    return json.path("error").asString();
  }

  @Override
  public String toString() {
    return status + " " + headers + " " + text();
  }
}
