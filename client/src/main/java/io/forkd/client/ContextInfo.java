package io.forkd.client;

/** A place where code of one language runs and keeps its state. */
public record ContextInfo(String id, String language, String cwd, JsonObject json) {
  static ContextInfo from(JsonObject json) {
    return new ContextInfo(json.text("id"), json.text("language"), json.text("cwd"), json);
  }
}
