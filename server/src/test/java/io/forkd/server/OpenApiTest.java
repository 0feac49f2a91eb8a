package io.forkd.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import tools.jackson.databind.JsonNode;

@Timeout(60)
class OpenApiTest {
  private static TestServer server;
  private static JsonNode document;

  @BeforeAll
  static void start() throws IOException {
    server = TestServer.withToken();
    document = server.get("/openapi.json").json();
  }

  @AfterAll
  static void stop() throws IOException {
    server.close();
  }

  private static List<Operation> operations() {
    return server.api.operations();
  }

  private static void eachOperation(Consumer<JsonNode> check) {
    document.path("paths").valueStream().flatMap(JsonNode::valueStream).forEach(check);
  }

  @Test
  void isOpenToAll() {
    assertThat(document.path("openapi").asString()).isEqualTo("3.1.0");
    assertThat(document.path("info").path("version").asString()).isEqualTo(Version.TEXT);
  }

  @Test
  void hasEveryRouteAndNothingElse() {
    Set<String> documented = new TreeSet<>();
    document
        .path("paths")
        .propertyStream()
        .forEach(
            path ->
                path.getValue()
                    .propertyNames()
                    .forEach(
                        method ->
                            documented.add(method.toUpperCase(Locale.ROOT) + " " + path.getKey())));
    Set<String> routed = new TreeSet<>();
    for (Operation operation : operations()) {
      List<String> methods =
          operation.method().equals("*")
              ? List.of("GET", "PUT", "POST", "DELETE", "OPTIONS", "HEAD", "PATCH")
              : List.of(operation.method());
      methods.forEach(
          method -> routed.add(method + " " + operation.template().replace("...}", "}")));
    }
    assertThat(documented).isEqualTo(routed).hasSizeGreaterThan(20);
  }

  @Test
  void everyOperationSaysWhatItDoesAndHowItFails() {
    Set<String> ids = new HashSet<>();
    eachOperation(
        operation -> {
          String id = operation.path("operationId").asString();
          assertThat(ids.add(id)).as(id).isTrue();
          assertThat(id).matches("[a-zA-Z_]+");
          assertThat(operation.path("summary").asString()).as(id).isNotBlank();
          assertThat(successes(operation)).as(id).isNotEmpty();
          JsonNode refusal = operation.at("/responses/400/content/application~1json/schema/$ref");
          assertThat(refusal.asString()).as(id).isEqualTo("#/components/schemas/Error");
        });
    assertThat(document.at("/components/schemas/Error/required/0").asString()).isEqualTo("error");
  }

  private static List<String> successes(JsonNode operation) {
    return operation.path("responses").propertyNames().stream()
        .filter(status -> status.startsWith("1") || status.startsWith("2"))
        .toList();
  }

  @Test
  void everyReferenceLeadsToAShapeAndEveryShapeIsReferredTo() {
    List<String> references = new ArrayList<>();
    collectReferences(document, references);
    Set<String> shapes = new TreeSet<>();
    document
        .at("/components/schemas")
        .propertyNames()
        .forEach(name -> shapes.add("#/components/schemas/" + name));
    assertThat(new TreeSet<>(references)).isEqualTo(shapes);
  }

  private static void collectReferences(JsonNode node, List<String> references) {
    if (node.path("$ref").isString()) {
      references.add(node.path("$ref").asString());
    }
    node.valueStream().forEach(child -> collectReferences(child, references));
  }

  @Test
  void everyNamedSegmentIsAParameter() {
    document
        .path("paths")
        .propertyStream()
        .forEach(
            path ->
                path.getValue()
                    .valueStream()
                    .forEach(
                        operation -> {
                          Set<String> named = new TreeSet<>(Route.names(path.getKey()));
                          Set<String> declared = new TreeSet<>();
                          operation
                              .path("parameters")
                              .valueStream()
                              .filter(parameter -> parameter.path("in").asString().equals("path"))
                              .forEach(
                                  parameter -> declared.add(parameter.path("name").asString()));
                          assertThat(declared).as(path.getKey()).isEqualTo(named);
                        }));
  }

  @Test
  void whatNeedsAKeySaysSoAndWhatDoesNotIsOpen() throws IOException {
    for (Operation operation : operations()) {
      JsonNode documented =
          document
              .path("paths")
              .path(operation.template().replace("...}", "}"))
              .path(
                  operation.method().equals("*")
                      ? "get"
                      : operation.method().toLowerCase(Locale.ROOT));
      Optional<Role> role = operation.role();
      assertThat(documented.path("security").size()).isEqualTo(role.isPresent() ? 1 : 0);
      assertThat(documented.path("x-forkd-role").asString(""))
          .isEqualTo(role.map(Role::text).orElse(""));
    }
  }

  @Test
  void twoShapesOfOneNameAreADefect() {
    SchemaWriter writer = new SchemaWriter();
    writer.write(Schema.shape("A").with("x", Schema.flag()));
    assertThatThrownBy(() -> writer.write(Schema.shape("A").with("y", Schema.flag())))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("Two different shapes are called A");
  }

  @Test
  void theCheckOfAnswersFindsWhatIsWrong() {
    SchemaWriter writer = new SchemaWriter();
    JsonNode schema =
        Answer.parse(
            new String(
                io.forkd.server.http.Json.bytes(
                    writer.write(
                        Schema.shape()
                            .with("a", Schema.whole(1, 3))
                            .optional("b", Schema.oneOf("x", "y"))
                            .optional("c", Schema.listOf(Schema.orNull(Schemas.TAG))))),
                java.nio.charset.StandardCharsets.UTF_8));
    assertThat(problems(schema, "{\"a\":1,\"b\":\"x\",\"c\":[null,\"t\"]}")).isEmpty();
    assertThat(problems(schema, "{}")).containsExactly("$: lacks a");
    assertThat(problems(schema, "{\"a\":4}")).containsExactly("$.a: 4 is over the maximum");
    assertThat(problems(schema, "{\"a\":0}")).containsExactly("$.a: 0 is below the minimum");
    assertThat(problems(schema, "{\"a\":1.5}")).containsExactly("$.a: is 1.5, not a integer");
    assertThat(problems(schema, "{\"a\":1,\"b\":\"z\"}"))
        .containsExactly("$.b: is \"z\", not one of [\"x\",\"y\"]");
    assertThat(problems(schema, "{\"a\":1,\"d\":1}"))
        .containsExactly("$: has d, which is not documented");
    assertThat(problems(schema, "{\"a\":1,\"c\":[\"/\"]}")).hasSize(1);
    assertThat(problems(schema, "[]")).containsExactly("$: is [], not a object");
  }

  private static List<String> problems(JsonNode schema, String value) {
    return JsonSchemaCheck.problems(document, schema, Answer.parse(value));
  }
}
