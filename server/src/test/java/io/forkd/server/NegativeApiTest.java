package io.forkd.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What every operation refuses, taken from the list of operations itself, so that a new one is
 * covered when it is added. {@code -Dforkd.test.seed=N} fuzzes with other bodies.
 */
@Timeout(300)
class NegativeApiTest {
  private static final int ROUNDS = 60;
  private static final String ABSENT_SANDBOX = "sb-ffffffffff-0000";

  private static final List<String> NASTY =
      List.of(
          "..",
          "%2e%2e",
          "%2e%2e%2f%2e%2e%2fetc%2fpasswd",
          "..%2f..%2fdata",
          "%2fetc%2fpasswd",
          "..%5c..",
          "%00",
          "a%00b",
          "%0d%0aX-Injected:%20yes",
          "%ff%fe",
          "%c0%ae%c0%ae",
          "%zz",
          "%",
          "%e2%80%ae",
          "%f0%9f%92%a9",
          "-rf",
          "~root",
          "$(id)",
          "'%20or%201=1--",
          "a".repeat(300),
          "CON",
          ".hidden",
          "sb-00000000-0000%2f..");

  private static Tenants tenants;
  private static Samples samples;

  @BeforeAll
  static void start() throws IOException {
    samples = new Samples(Long.getLong("forkd.test.seed", 20_261_115L));
    tenants = new Tenants();
  }

  @AfterAll
  static void stop() throws IOException {
    tenants.close();
  }

  @AfterEach
  void noSecretIsLogged() {
    synchronized (tenants.logged) {
      for (String line : tenants.logged) {
        assertThat(tenants.secrets()).noneMatch(line::contains);
      }
      tenants.logged.clear();
    }
  }

  static List<Operation> operations() {
    return tenants.server.api.operations();
  }

  static Stream<Operation> guarded() {
    return operations().stream().filter(operation -> operation.role().isPresent());
  }

  static Stream<Operation> withNames() {
    return guarded().filter(operation -> !Route.names(operation.template()).isEmpty());
  }

  /** Those that name something which belongs to somebody. */
  static Stream<Operation> ofOthers() {
    return withNames()
        .filter(operation -> Role.USER.covers(operation.role().orElseThrow()))
        .filter(operation -> !Route.names(operation.template()).contains("key"));
  }

  static Stream<Operation> withBodies() {
    return guarded().filter(operation -> schema(operation).isPresent());
  }

  private static Optional<Schema> schema(Operation operation) {
    return operation.body().flatMap(Operation.Body::schema);
  }

  @Test
  void thereAreOperationsToTest() {
    assertThat(guarded().count()).isGreaterThan(20);
    assertThat(ofOthers().count()).isGreaterThan(10);
    assertThat(withBodies().count()).isGreaterThan(8);
  }

  @Test
  void onlyWhatTellsNothingIsOpen() {
    assertThat(
            operations().stream()
                .filter(operation -> operation.role().isEmpty())
                .map(Operation::toString))
        .containsExactlyInAnyOrder(
            "GET /healthz", "GET /healthz/", "GET /readyz", "GET /openapi.json");
  }

  @Test
  void whoOnlyReadsChangesNothing() {
    assertThat(guarded().filter(Operation::changes))
        .allSatisfy(
            operation -> assertThat(operation.role().orElseThrow().covers(Role.USER)).isTrue());
    assertThat(guarded().filter(operation -> !operation.method().equals("GET")))
        .allSatisfy(
            operation -> assertThat(operation.role().orElseThrow().covers(Role.USER)).isTrue());
  }

  @ParameterizedTest
  @MethodSource("guarded")
  void strangersAreTurnedAway(Operation operation) throws IOException {
    String path = mine(operation);
    String body = body(operation);
    refused(401, tenants.raw(method(operation), path, body));
    for (String wrong :
        List.of(
            "x",
            TestServer.TOKEN + "x",
            tenants.revoked,
            tenants.expired,
            tenants.admin + "A",
            tenants.admin.substring(0, tenants.admin.length() - 2) + "AA",
            "fk_0000000000000000_" + "A".repeat(43),
            "e2b_" + "0".repeat(80))) {
      refused(401, tenants.call(wrong, method(operation), path, body));
      refused(401, tenants.raw(method(operation), path, body, "X-API-Key: " + wrong));
    }
    refused(
        401,
        tenants.call(
            tenants.admin, method(operation), path, body, "X-API-Key: " + tenants.operator));
  }

  @ParameterizedTest
  @MethodSource("guarded")
  void lowerRolesAreRefused(Operation operation) throws IOException {
    Role needed = operation.role().orElseThrow();
    for (Role role : Role.values()) {
      if (!role.covers(needed)) {
        Answer answer =
            tenants.call(tenants.keyOf(role), method(operation), mine(operation), body(operation));
        refused(403, answer);
        assertThat(answer.error()).contains(needed.text());
      }
    }
  }

  @ParameterizedTest
  @MethodSource("ofOthers")
  void whatIsAnothersIsNotThere(Operation operation) throws IOException {
    String body = body(operation);
    Answer others = tenants.call(tenants.bob, method(operation), mine(operation), body);
    refused(404, others);
    Answer absent = tenants.call(tenants.bob, method(operation), absent(operation), body);
    refused(404, absent);
    assertThat(neutral(others, MINE)).isEqualTo(neutral(absent, ABSENT));
  }

  @ParameterizedTest
  @MethodSource("withNames")
  void namesLeadNowhereElse(Operation operation) throws IOException {
    for (String name : Route.names(operation.template())) {
      if (name.equals("rest")) {
        continue;
      }
      for (String nasty : NASTY) {
        String path = path(operation, name, nasty);
        Answer answer = tenants.call(tenants.admin, method(operation), path, body(operation));
        refused(answer.status(), answer);
        assertThat(answer.status()).as(path + " " + answer).isIn(400, 404, 405);
        assertThat(answer.headers()).doesNotContainKey("x-injected");
      }
    }
  }

  @ParameterizedTest
  @MethodSource("withBodies")
  void oversizedBodiesAreRefused(Operation operation) throws IOException {
    String key = tenants.keyOf(operation.role().orElseThrow());
    refused(413, tenants.call(key, method(operation), mine(operation), " ".repeat(1_048_577)));
  }

  @ParameterizedTest
  @MethodSource("withBodies")
  void bodiesThatAreNoObjectsAreRefused(Operation operation) throws IOException {
    String key = tenants.keyOf(operation.role().orElseThrow());
    for (String body :
        List.of("[]", "7", "\"x\"", "true", "null", "{", "{\"a\"", "}", "{\"a\":1}x", "\u0000")) {
      refused(400, tenants.call(key, method(operation), mine(operation), body));
    }
  }

  @ParameterizedTest
  @MethodSource("withBodies")
  void fieldsOfTheWrongTypeAreRefused(Operation operation) throws IOException {
    String key = tenants.keyOf(operation.role().orElseThrow());
    Schema schema = schema(operation).orElseThrow();
    if (schema instanceof Schema.MapOf) {
      refused(400, tenants.call(key, method(operation), mine(operation), "{\"k\":{}}"));
      return;
    }
    if (!(schema instanceof Schema.Shape shape)) {
      throw new AssertionError(operation + " takes no object");
    }
    for (int i = 0; i < shape.fields().size(); i++) {
      Schema.Field field = shape.fields().get(i);
      if (field.schema() instanceof Schema.Anything) {
        continue;
      }
      for (int round = 0; round < 6; round++) {
        String body = samples.object(shape, i);
        Answer answer = tenants.call(key, method(operation), mine(operation), body);
        assertThat(answer.status()).as(body + " " + answer).isEqualTo(400);
        refused(400, answer);
      }
    }
  }

  @ParameterizedTest
  @MethodSource("guarded")
  void nonsenseIsTheCallersFault(Operation operation) throws IOException {
    if (operation.template().equals("/v1/shutdown")) {
      return;
    }
    for (int i = 0; i < ROUNDS; i++) {
      String body = schema(operation).map(samples::nonsense).orElse("{\"a\":[1");
      String key = i % 2 == 0 ? tenants.admin : tenants.bob;
      String query =
          switch (i % 4) {
            case 0 -> "?%00=%ff&label=&state=x&limit=-1&cascade=7&after=x&follow=maybe";
            case 1 -> "?" + "q=1&".repeat(200);
            default -> "";
          };
      Answer answer = tenants.call(key, method(operation), absent(operation) + query, body);
      assertThat(answer.status()).as(body + " " + answer).isLessThan(500);
      if (answer.status() >= 400) {
        refused(answer.status(), answer);
      }
    }
  }

  /** An answer that refuses, says why, and tells nothing it should not. */
  private static void refused(int status, Answer answer) {
    assertThat(answer.status()).as(answer.toString()).isEqualTo(status);
    assertThat(answer.status()).isBetween(400, 499);
    assertThat(answer.error()).isNotBlank().hasSizeLessThan(1_200);
    Path folder = tenants.server.folder;
    assertThat(answer.toString())
        .doesNotContain(
            "\tat ",
            "Exception",
            "java.lang",
            "java.io",
            "java.util",
            "io.forkd",
            folder.toString());
    assertThat(tenants.secrets()).noneMatch(answer.toString()::contains);
  }

  private static final Map<String, String> ABSENT =
      Map.of(
          "id", ABSENT_SANDBOX,
          "tag", "no-such-tag",
          "name", "no-such-space",
          "port", "80",
          "key", "ffffffffffffffff",
          "pid", "4194303",
          "context", "no-such-context",
          "rest", "x");
  private static final Map<String, String> MINE =
      Map.of(
          "id", "ALICES",
          "tag", "alices-own",
          "name", "alices-space",
          "port", "80",
          "key", "ffffffffffffffff",
          "pid", "4194303",
          "context", "no-such-context",
          "rest", "x");

  /** The path of something of alice's. */
  private static String mine(Operation operation) {
    return fill(operation, MINE).replace("ALICES", tenants.sandbox);
  }

  private static String absent(Operation operation) {
    return fill(operation, ABSENT);
  }

  private static String path(Operation operation, String name, String value) {
    String literal = "{" + name + "}";
    String before = operation.template().replace(literal, "\u0001");
    String filled = fill(before, MINE).replace("ALICES", tenants.sandbox);
    return filled.replace("\u0001", value);
  }

  private static String fill(Operation operation, Map<String, String> names) {
    return fill(operation.template(), names);
  }

  private static String fill(String template, Map<String, String> names) {
    String path = template.replace("...}", "}");
    for (Map.Entry<String, String> name : names.entrySet()) {
      path = path.replace("{" + name.getKey() + "}", name.getValue());
    }
    if (path.contains("{")) {
      throw new AssertionError("Say what fills " + path + " in this test");
    }
    return path;
  }

  /** What an answer says with the names taken out. */
  private static String neutral(Answer answer, Map<String, String> names) {
    String text = answer.error().replace(tenants.sandbox, "ALICES");
    for (String name : List.of("id", "tag", "name")) {
      text = text.replace(String.valueOf(names.get(name)), "NAME");
    }
    return text;
  }

  private static String method(Operation operation) {
    return operation.method().equals(Operation.ANY_METHOD) ? "GET" : operation.method();
  }

  private static String body(Operation operation) {
    return schema(operation)
        .map(schema -> schema instanceof Schema.Shape shape ? required(shape) : "{}")
        .orElse("");
  }

  /** Only the required fields, so that nothing but the path is in question. */
  private static String required(Schema.Shape shape) {
    return samples.object(
        new Schema.Shape(
            shape.name(), shape.fields().stream().filter(Schema.Field::required).toList()),
        -1);
  }
}
