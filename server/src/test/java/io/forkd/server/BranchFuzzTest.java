package io.forkd.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Requests that have something wrong with them, at random: the caller is told what, and the core is
 * never reached. {@code -Dforkd.test.seed=N} tries other ones.
 */
@Timeout(120)
class BranchFuzzTest {
  private static final int ROUNDS = 400;

  private static final Kind TAG =
      new Kind("\"base\"", "1", "[]", "{}", "\"\"", "\"../x\"", "\"a b\"", "\"\\u0000\"", "\"ä\"");
  private static final Kind NAME =
      new Kind(
          "\"base\"", "0.5", "false", "[\"a\"]", "\"a/b\"", "\"\\ud800\"", "\"-x\"", longString());
  private static final Kind FLAG =
      new Kind("null", "0", "1", "\"true\"", "[true]", "{\"a\":true}", "1e5", "\"\"");
  private static final Kind COUNT =
      new Kind(
          "16", "0", "-1", "20000000", "1.0", "\"1\"", "9223372036854775808", "1e2", digits(900));
  private static final Kind SECONDS =
      new Kind("1.5", "0", "-1e300", "1e400", "31536001", "\"60\"", "true", "[60]", digits(999));
  private static final Kind MODE =
      new Kind("\"live\"", "\"\"", "\"FULL\"", "\"diff \"", "3", "[\"diff\"]", "{}", longString());

  /**
   * What a field takes and does not take, as JSON.
   *
   * @param right a value it takes
   * @param wrong values it does not take
   */
  record Kind(String right, List<String> wrong) {
    Kind(String right, String... wrong) {
      this(right, List.of(wrong));
    }
  }

  /**
   * A route and its fields.
   *
   * @param fields in an order that a seed repeats
   */
  record Route(String path, SortedMap<String, Kind> fields) {
    Route(String path, Map<String, Kind> fields) {
      this(path, new TreeMap<>(fields));
    }

    @Override
    public String toString() {
      return path;
    }
  }

  static List<Route> routes() {
    return List.of(
        new Route(
            "/v1/sandboxes/ID/branch",
            Map.of(
                "tag", TAG,
                "mode", MODE,
                "diff", FLAG,
                "measure_diff", FLAG,
                "wait", FLAG,
                "parent_tag", TAG,
                "ttl_secs", SECONDS,
                "keep_last", COUNT)),
        new Route(
            "/v1/sandboxes/ID/fork",
            Map.of(
                "n", COUNT,
                "tag", TAG,
                "mode", MODE,
                "memory_limit_mib", COUNT,
                "ttl_secs", SECONDS,
                "snapshot_ttl_secs", SECONDS,
                "keep_last", COUNT)),
        new Route("/v1/sandboxes/ID/rollback", Map.of("tag", TAG)),
        new Route("/v1/sandboxes", Map.of("snapshot_tag", TAG, "n", COUNT, "ttl_secs", SECONDS)),
        new Route("/v1/snapshots/base/compact", Map.of("to", TAG)),
        new Route("/v1/gc", Map.of("dry_run", FLAG)),
        new Route("/v1/diff", Map.of("a", NAME, "b", NAME, "text", FLAG)));
  }

  private final TestServer server = TestServer.open();
  private final Random random = new Random(Long.getLong("forkd.test.seed", 20_261_103L));
  private String id;

  @BeforeEach
  void fork() throws IOException {
    id = server.fork();
  }

  @AfterEach
  void stop() throws IOException {
    server.close();
  }

  @ParameterizedTest
  @MethodSource("routes")
  void nonsenseIsTheCallersFault(Route route) throws IOException {
    try (Wire wire = server.unix()) {
      for (int i = 0; i < ROUNDS; i++) {
        String body = random.nextInt(8) == 0 ? damaged(route) : wrong(route);
        wire.request("POST", route.path.replace("ID", id), body);
        Answer answer = wire.answer();
        assertThat(answer.status()).as(body).isEqualTo(400);
        assertThat(answer.error()).as(body).isNotBlank().hasSizeLessThan(1_000);
      }
    }
    assertThat(server.forkd.branches.specs).isEmpty();
    assertThat(server.forkd.sandboxes).hasSize(1);
    assertThat(server.forkd.snapshots).hasSize(1);
  }

  /** An object in which at least one field that the route knows is wrong. */
  private String wrong(Route route) {
    List<String> names = new ArrayList<>(route.fields.keySet());
    Collections.shuffle(names, random);
    List<String> wrong = names.subList(0, 1 + random.nextInt(names.size()));
    List<String> fields = new ArrayList<>();
    route.fields.forEach(
        (name, kind) ->
            fields.add(field(name, wrong.contains(name) ? pick(kind.wrong) : kind.right)));
    for (int i = random.nextInt(3); i > 0; i--) {
      fields.add(field("unknown" + i, nested(random.nextInt(80))));
    }
    Collections.shuffle(fields, random);
    return "{" + String.join(",", fields) + "}";
  }

  /** The beginning of an object. */
  private String damaged(Route route) {
    String whole = wrong(route);
    return whole.substring(0, 1 + random.nextInt(whole.length() - 1));
  }

  private static String field(String name, String value) {
    return "\"%s\":%s".formatted(name, value);
  }

  /** Something in so many arrays and objects; the daemon reads no more than 64. */
  private String nested(int depth) {
    String value = pick(List.of("null", "true", "-0.0", "1e999", "\"\\ud83d\"", digits(400)));
    for (int i = 0; i < depth; i++) {
      value = random.nextBoolean() ? "[0,%s]".formatted(value) : "{\"k\":%s}".formatted(value);
    }
    return value;
  }

  private String pick(List<String> choices) {
    return choices.get(random.nextInt(choices.size()));
  }

  private static String digits(int count) {
    return "9".repeat(count);
  }

  private static String longString() {
    return "\"" + "x".repeat(5_000) + "\"";
  }
}
