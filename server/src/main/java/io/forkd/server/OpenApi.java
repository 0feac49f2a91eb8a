package io.forkd.server;

import io.forkd.server.http.Json;
import io.forkd.server.http.JsonObject;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** Writes a set of operations as an OpenAPI 3.1 document. */
final class OpenApi {
  private static final String SCHEME = "token";

  /** What an operation that takes any method is listed under. */
  private static final List<String> METHODS =
      List.of("GET", "PUT", "POST", "DELETE", "OPTIONS", "HEAD", "PATCH");

  private final SchemaWriter schemas = new SchemaWriter();

  private OpenApi() {}

  static JsonObject of(List<Operation> operations) {
    return new OpenApi().document(operations);
  }

  private JsonObject document(List<Operation> operations) {
    Map<String, JsonObject> paths = new LinkedHashMap<>();
    for (Operation operation : operations) {
      JsonObject path =
          paths.computeIfAbsent(operation.template().replace("...}", "}"), _ -> Json.object());
      List<String> methods =
          operation.method().equals(Operation.ANY_METHOD) ? METHODS : List.of(operation.method());
      for (String method : methods) {
        path.with(method.toLowerCase(Locale.ROOT), operation(method, operation));
      }
    }
    return Json.object()
        .with("openapi", "3.1.0")
        .with(
            "info",
            Json.object()
                .with("title", "forkd")
                .with("version", Version.TEXT)
                .with("description", "Snapshots of warm microVMs and their forks."))
        .with("servers", List.of(Json.object().with("url", "/")))
        .with("paths", paths)
        .with(
            "components",
            Json.object()
                .with("schemas", schemas.components())
                .with("securitySchemes", Json.object().with(SCHEME, bearer())));
  }

  private static JsonObject bearer() {
    return Json.object()
        .with("type", "http")
        .with("scheme", "bearer")
        .with("description", "The daemon's token or an API key; the Unix socket needs none.");
  }

  private JsonObject operation(String method, Operation operation) {
    List<JsonObject> parameters = parameters(operation);
    JsonObject json =
        Json.object()
            .with("operationId", id(method, operation.template()))
            .with("summary", operation.summary())
            .withOptional("x-forkd-role", operation.role().map(Role::text))
            .with("security", security(operation))
            .withOptional("parameters", Optional.of(parameters).filter(list -> !list.isEmpty()));
    operation.body().ifPresent(body -> json.with("requestBody", body(body)));
    return json.with("responses", responses(operation));
  }

  private static List<JsonObject> security(Operation operation) {
    return operation.role().isEmpty() ? List.of() : List.of(Json.object().with(SCHEME, List.of()));
  }

  private List<JsonObject> parameters(Operation operation) {
    List<JsonObject> parameters = new ArrayList<>();
    for (Operation.Parameter parameter : operation.allParameters()) {
      boolean inPath = parameter.place() == Operation.Place.PATH;
      parameters.add(
          Json.object()
              .with("name", parameter.name())
              .with("in", Shapes.word(parameter.place()))
              .with("required", inPath)
              .withOptional(
                  "description", Optional.of(parameter.about()).filter(about -> !about.isEmpty()))
              .with("schema", schemas.write(parameter.schema())));
    }
    return parameters;
  }

  private JsonObject body(Operation.Body body) {
    return Json.object()
        .with("required", body.required())
        .with(
            "content",
            content(body.contentType(), body.schema().map(schemas::write).orElseGet(Json::object)));
  }

  private JsonObject responses(Operation operation) {
    JsonObject responses = Json.object();
    operation
        .answers()
        .forEach(
            (status, answer) -> responses.with(String.valueOf(status), answer(status, answer)));
    for (int status : operation.allFailures()) {
      responses.with(String.valueOf(status), failure(HttpStatuses.meaning(status)));
    }
    return responses.with("default", failure("Any other failure"));
  }

  private JsonObject failure(String description) {
    return Json.object()
        .with("description", description)
        .with("content", content(Operation.JSON, schemas.write(Schemas.ERROR)));
  }

  private JsonObject answer(int status, Operation.Answer answer) {
    String about = answer.about().isEmpty() ? HttpStatuses.meaning(status) : answer.about();
    JsonObject json = Json.object().with("description", about);
    if (!answer.contentType().isEmpty()) {
      JsonObject schema = answer.schema().map(schemas::write).orElseGet(Json::object);
      json.with("content", content(answer.contentType(), schema));
    }
    return json;
  }

  private static JsonObject content(String type, JsonObject schema) {
    return Json.object().with(type, Json.object().with("schema", schema));
  }

  /** A name that a generator can call a function by, such as {@code getSnapshotsByTagInfo}. */
  private static String id(String method, String template) {
    StringBuilder id = new StringBuilder(method.toLowerCase(Locale.ROOT));
    for (String segment : List.of(template.substring(1).split("/", -1))) {
      if (segment.startsWith("{")) {
        id.append("By").append(capital(Route.names("/" + segment).getFirst()));
      } else if (segment.isEmpty()) {
        id.append("Slash");
      } else if (!segment.equals("v1")) {
        id.append(capital(segment.replace('.', '_')));
      }
    }
    return id.toString();
  }

  private static String capital(String word) {
    return word.substring(0, 1).toUpperCase(Locale.ROOT) + word.substring(1);
  }
}
