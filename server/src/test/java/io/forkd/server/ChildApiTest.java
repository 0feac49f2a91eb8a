package io.forkd.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.forkd.core.ChildSpec;
import io.forkd.core.Egress;
import io.forkd.core.Lifetime;
import io.forkd.core.Limits;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** What a sandbox can be given when it is made, in each request that makes one. */
@Timeout(60)
class ChildApiTest {
  private static final String EVERYTHING =
      """
      "cpus":0.5,"memory_limit_mib":256,"pids":128,"io_bytes_per_sec":10000000,"ttl_secs":90.5,
      "idle_timeout_secs":60,"on_timeout":"pause","labels":{"team":"a","run":"17"},
      "egress":{"policy":"allowlist","domains":["WWW.Example.com."],"cidrs":["192.0.2.7"]}\
      """;
  private static final ChildSpec GIVEN =
      new ChildSpec(
          new Limits(
              Optional.of(256), Optional.of(0.5), Optional.of(128), Optional.of(10_000_000L)),
          new Lifetime(
              Optional.of(Duration.ofMillis(90_500)),
              Optional.of(Duration.ofSeconds(60)),
              Lifetime.AtEnd.PAUSE),
          Optional.of(new Egress.Allowlist(List.of("www.example.com"), List.of("192.0.2.7/32"))),
          Map.of("team", "a", "run", "17"),
          Optional.empty());

  private final TestServer server = TestServer.open();

  @AfterEach
  void stop() throws IOException {
    server.close();
  }

  @Test
  void aForkGivesItsChildrenEverythingThatIsAskedFor() throws IOException {
    Answer answer =
        server.post("/v1/sandboxes", "{\"snapshot_tag\":\"base\",%s}".formatted(EVERYTHING));
    assertThat(answer.status()).as(answer.text()).isEqualTo(201);
    assertThat(server.forkd.forkSpecs.getFirst().child()).isEqualTo(GIVEN);
    assertShown(answer.json().path(0));
  }

  @Test
  void aForkOfASandboxGivesTheSame() throws IOException {
    String id = server.fork();
    Answer answer = server.post("/v1/sandboxes/" + id + "/fork", "{%s}".formatted(EVERYTHING));
    assertThat(answer.status()).as(answer.text()).isEqualTo(201);
    assertThat(server.forkd.branches.fanOutSpecs.getFirst().child()).isEqualTo(GIVEN);
    assertShown(answer.json().path("sandboxes").path(0));
  }

  @Test
  void aWorkspaceGivesItsSandboxTheSame() throws IOException {
    Answer answer =
        server.post(
            "/v1/workspaces",
            "{\"name\":\"w\",\"snapshot_tag\":\"base\",%s}".formatted(EVERYTHING));
    assertThat(answer.status()).as(answer.text()).isEqualTo(201);
    assertThat(server.forkd.forkSpecs.getFirst().child()).isEqualTo(GIVEN);
    assertThat(answer.json().path("labels").path("run").asString()).isEqualTo("17");
  }

  private static void assertShown(JsonNode child) {
    assertThat(child.path("state").asString()).isEqualTo("running");
    assertThat(child.path("cpus").asDouble()).isEqualTo(0.5);
    assertThat(child.path("memory_limit_mib").asInt()).isEqualTo(256);
    assertThat(child.path("pids").asInt()).isEqualTo(128);
    assertThat(child.path("io_bytes_per_sec").asInt()).isEqualTo(10_000_000);
    assertThat(child.path("ttl_secs").asDouble()).isEqualTo(90.5);
    assertThat(child.path("expires_at_unix").asLong()).isEqualTo(1_700_000_090);
    assertThat(child.path("idle_timeout_secs").toString()).isEqualTo("60");
    assertThat(child.path("on_timeout").asString()).isEqualTo("pause");
    assertThat(child.path("labels").toString()).isEqualTo("{\"run\":\"17\",\"team\":\"a\"}");
    assertThat(child.path("egress").toString())
        .isEqualTo(
            "{\"policy\":\"allowlist\",\"domains\":[\"www.example.com\"],\"cidrs\":[\"192.0.2.7/32\"]}");
    assertThat(child.path("netns").asString()).isEqualTo("forkd-1");
    assertThat(child.path("guest_addr").asString()).isEqualTo("172.30.255.2");
  }

  @Test
  void whatIsNotAskedForIsNotShown() throws IOException {
    JsonNode child =
        server
            .post("/v1/sandboxes", "{\"snapshot_tag\":\"base\",\"labels\":{},\"egress\":null}")
            .json()
            .path(0);
    assertThat(child.propertyNames())
        .doesNotContain(
            "labels", "owner", "cpus", "pids", "io_bytes_per_sec", "ttl_secs", "expires_at_unix")
        .doesNotContain("idle_timeout_secs", "on_timeout", "egress", "netns", "guest_addr");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "\"none\"|\"none\"",
        "\"internet\"|\"internet\"",
        "{\"policy\":\"none\"}|\"none\"",
        "{\"policy\":\"internet\",\"unknown\":1}|\"internet\"",
        "{\"policy\":\"allowlist\"}|{\"policy\":\"allowlist\",\"domains\":[],\"cidrs\":[]}"
      })
  void egressCanBeSaidShortlyOrInFull(String egress, String shown) throws IOException {
    Answer answer =
        server.post("/v1/sandboxes", "{\"snapshot_tag\":\"base\",\"egress\":%s}".formatted(egress));
    assertThat(answer.json().path(0).path("egress").toString()).isEqualTo(shown);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "\"cpus\":\"1\"|cpus has the wrong type: expected a number, found a string.",
        "\"cpus\":0|cpus is 0.0: use 0.05 to 1024.",
        "\"cpus\":1e400|cpus is Infinity: use 0.05 to 1024.",
        "\"pids\":15|pids is 15: use 16 to 1048576.",
        "\"pids\":1.5|pids has the wrong type",
        "\"io_bytes_per_sec\":1|io_bytes_per_sec is 1: use 65536 to",
        "\"io_bytes_per_sec\":99999999999999999999|io_bytes_per_sec is 99999999999999999999",
        "\"io_bytes_per_sec\":true|io_bytes_per_sec has the wrong type: expected an integer",
        "\"idle_timeout_secs\":0|idle_timeout_secs is 0: use 1 to 31536000.",
        "\"idle_timeout_secs\":[]|idle_timeout_secs has the wrong type",
        "\"on_timeout\":\"stop\"|on_timeout is 'stop': use one of kill, pause.",
        "\"on_timeout\":1|on_timeout has the wrong type",
        "\"labels\":[]|labels has the wrong type: expected an object of strings, found an array.",
        "\"labels\":\"a=b\"|labels has the wrong type",
        "\"labels\":{\"a\":1}|labels.a has the wrong type: expected a string, found an integer.",
        "\"labels\":{\"a\":null}|labels.a has the wrong type: expected a string, found null.",
        "\"labels\":{\"\":\"x\"}|a label's name must match",
        "\"labels\":{\"a b\":\"x\"}|a label's name must match",
        "\"labels\":{\"a\":\"x\\u0000\"}|the value of label a is too long or not printable",
        "\"egress\":1|egress has the wrong type: expected a string or an object, found an integer.",
        "\"egress\":\"all\"|egress is 'all': use \"none\", \"internet\" or {\"policy\"",
        "\"egress\":{}|policy is missing: expected a string.",
        "\"egress\":{\"policy\":7}|policy has the wrong type",
        "\"egress\":{\"policy\":\"deny\"}|egress is 'deny'",
        "\"egress\":{\"policy\":\"allowlist\",\"domains\":\"x\"}|domains has the wrong type:"
            + " expected an array of strings",
        "\"egress\":{\"policy\":\"allowlist\",\"domains\":[1]}|domains[0] has the wrong type",
        "\"egress\":{\"policy\":\"allowlist\",\"domains\":[\"a b\"]}|a b' cannot be among the"
            + " allowlist's domains",
        "\"egress\":{\"policy\":\"allowlist\",\"domains\":[\"*\"]}|*' cannot be among the"
            + " allowlist's domains",
        "\"egress\":{\"policy\":\"allowlist\",\"domains\":[\"a.*.b\"]}|cannot be among the"
            + " allowlist's domains",
        "\"egress\":{\"policy\":\"allowlist\",\"domains\":[\"1.2.3.4\"]}|cannot be among the"
            + " allowlist's domains",
        "\"egress\":{\"policy\":\"allowlist\",\"cidrs\":[\"www.example.com\"]}|cannot be among the"
            + " allowlist's cidrs",
        "\"egress\":{\"policy\":\"allowlist\",\"cidrs\":[\"::/0\"]}|the allowlist's" + " cidrs",
        "\"per_child_netns\":1|per_child_netns has the wrong type"
      })
  void refusesWhatMakesNoSenseAndSaysWhy(String field, String reason) throws IOException {
    Answer answer = server.post("/v1/sandboxes", "{\"snapshot_tag\":\"base\",%s}".formatted(field));
    assertThat(answer.status()).as(answer.text()).isEqualTo(400);
    assertThat(answer.error()).contains(reason);
    assertThat(server.forkd.sandboxes).isEmpty();
  }

  @Test
  void boundsAnAllowlist() throws IOException {
    String many = "\"a.example\",".repeat(256) + "\"b.example\"";
    Answer answer =
        server.post(
            "/v1/sandboxes",
            "{\"snapshot_tag\":\"base\",\"egress\":{\"policy\":\"allowlist\",\"domains\":[%s]}}"
                .formatted(many));
    assertThat(answer.status()).isEqualTo(400);
    assertThat(answer.error()).isEqualTo("an allowlist has at most 256 domains, not 257.");
  }

  @Test
  void findsSandboxesByLabelsAndState() throws IOException {
    String red = labelled("\"team\":\"a\",\"colour\":\"red\"");
    String blue = labelled("\"team\":\"a\",\"colour\":\"blue=ish\"");
    String plain = server.fork();
    server.post("/v1/sandboxes/" + blue + "/pause", "");
    assertThat(ids("")).containsExactlyInAnyOrder(red, blue, plain);
    assertThat(ids("?label=team=a")).containsExactlyInAnyOrder(red, blue);
    assertThat(ids("?label=team=a&label=colour=red")).containsExactly(red);
    assertThat(ids("?label=colour%3Dblue%3Dish")).containsExactly(blue);
    assertThat(ids("?label=team=a&label=team=b")).isEmpty();
    assertThat(ids("?label=team=")).isEmpty();
    assertThat(ids("?state=paused")).containsExactly(blue);
    assertThat(ids("?state=running&label=team=a")).containsExactly(red);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"?label=team", "?label==a", "?label=", "?state=dead", "?state=", "?label=%ff%zz"})
  void refusesFiltersItDoesNotUnderstand(String query) throws IOException {
    Answer answer = server.get("/v1/sandboxes" + query);
    assertThat(answer.status()).as(answer.text()).isEqualTo(400);
    assertThat(answer.error()).isNotBlank();
  }

  private String labelled(String labels) throws IOException {
    return server
        .post("/v1/sandboxes", "{\"snapshot_tag\":\"base\",\"labels\":{%s}}".formatted(labels))
        .json()
        .path(0)
        .path("id")
        .asString();
  }

  private List<String> ids(String query) throws IOException {
    return server
        .get("/v1/sandboxes" + query)
        .json()
        .valueStream()
        .map(sandbox -> sandbox.path("id").asString())
        .toList();
  }
}
