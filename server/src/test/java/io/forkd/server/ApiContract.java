package io.forkd.server;

import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;
import tools.jackson.databind.JsonNode;

/** What the daemon's own document promises about its answers; tests hold every answer to it. */
final class ApiContract {
  private final JsonNode document;

  ApiContract(JsonNode document) {
    this.document = document;
  }

  JsonNode document() {
    return document;
  }

  /** Fails when an answer is not as the document says. */
  void check(String method, String path, Answer answer) {
    Optional<JsonNode> operation = operation(method, path);
    if (operation.isEmpty()) {
      requireRefusal(method, path, answer);
      return;
    }
    JsonNode responses = operation.get().path("responses");
    String status = String.valueOf(answer.status());
    JsonNode response =
        responses.path(answer.status() < 400 || responses.has(status) ? status : "default");
    if (response.isMissingNode()) {
      throw new AssertionError(
          "%s %s does not say that it may answer %s".formatted(method, path, answer));
    }
    if (method.equals("HEAD") || answer.status() == 204) {
      return;
    }
    String type = answer.header("content-type").replaceFirst(";.*", "");
    JsonNode content = response.path("content").path(type);
    if (content.isMissingNode()) {
      throw new AssertionError(
          "%s %s does not say that it may answer with %s".formatted(method, path, type));
    }
    if (type.equals("application/json")) {
      List<String> problems =
          JsonSchemaCheck.problems(document, content.path("schema"), answer.json());
      if (!problems.isEmpty()) {
        throw new AssertionError(
            "The answer to %s %s is not as documented: %s".formatted(method, path, problems));
      }
    }
  }

  private static void requireRefusal(String method, String path, Answer answer) {
    if (answer.status() < 400 || answer.status() >= 500) {
      throw new AssertionError(
          "%s %s is not documented, yet answered %s".formatted(method, path, answer));
    }
  }

  /** The operation that a request is for; literal paths win over templates. */
  private Optional<JsonNode> operation(String method, String target) {
    String path = target.replaceFirst("[?].*", "");
    String key = (method.equals("HEAD") ? "GET" : method).toLowerCase(Locale.ROOT);
    return document.path("paths").propertyNames().stream()
        .filter(template -> pattern(template).matcher(path).matches())
        .min(Comparator.comparingInt(template -> template.replaceAll("[^{]", "").length()))
        .map(template -> document.path("paths").path(template).path(key))
        .filter(JsonNode::isObject);
  }

  private static Pattern pattern(String template) {
    String literal = template.replaceAll("([.])", "\\\\$1");
    return Pattern.compile(
        literal.replace("{rest}", ".*").replaceAll("\\{[^}]+}", "[^/]+"), Pattern.DOTALL);
  }
}
