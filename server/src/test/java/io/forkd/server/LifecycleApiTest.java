package io.forkd.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.forkd.base.SandboxId;
import io.forkd.core.Egress;
import io.forkd.core.EndReason;
import io.forkd.core.Lifetime;
import io.forkd.core.Limits;
import io.forkd.core.SandboxChange;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** A sandbox's changes, pauses and end. */
@Timeout(60)
class LifecycleApiTest {
  private final TestServer server = TestServer.open();
  private String id;
  private String path;

  @BeforeEach
  void fork() throws IOException {
    id =
        server
            .post(
                "/v1/sandboxes",
                """
                {"snapshot_tag":"base","cpus":2,"memory_limit_mib":256,"idle_timeout_secs":60,
                 "on_timeout":"pause","labels":{"team":"a"}}\
                """)
            .json()
            .path(0)
            .path("id")
            .asString();
    path = "/v1/sandboxes/" + id;
  }

  @AfterEach
  void stop() throws IOException {
    server.close();
  }

  private Answer patch(String body) throws IOException {
    return server.call("PATCH", path, body);
  }

  private SandboxChange change() {
    return server.forkd.lifecycle.changes.getLast();
  }

  @Test
  void changesALimitAndLeavesTheOthers() throws IOException {
    Answer answer = patch("{\"cpus\":0.5}");
    assertThat(answer.status()).as(answer.text()).isEqualTo(200);
    assertThat(answer.json().path("cpus").asDouble()).isEqualTo(0.5);
    assertThat(answer.json().path("memory_limit_mib").asInt()).isEqualTo(256);
    assertThat(change())
        .isEqualTo(
            new SandboxChange(
                Optional.of(
                    new Limits(
                        Optional.of(256), Optional.of(0.5), Optional.empty(), Optional.empty())),
                Optional.empty(),
                Optional.empty(),
                Optional.empty()));
  }

  @Test
  void changesEverything() throws IOException {
    Answer answer =
        patch(
            """
            {"cpus":1,"memory_limit_mib":512,"pids":64,"io_bytes_per_sec":100000,"ttl_secs":30,
             "idle_timeout_secs":20,"on_timeout":"kill","egress":"none","labels":{"x":"y"},
             "unknown":1}\
            """);
    assertThat(answer.status()).as(answer.text()).isEqualTo(200);
    assertThat(change())
        .isEqualTo(
            new SandboxChange(
                Optional.of(
                    new Limits(
                        Optional.of(512),
                        Optional.of(1.0),
                        Optional.of(64),
                        Optional.of(100_000L))),
                Optional.of(
                    new Lifetime(
                        Optional.of(Duration.ofSeconds(30)),
                        Optional.of(Duration.ofSeconds(20)),
                        Lifetime.AtEnd.KILL)),
                Optional.of(Egress.NONE),
                Optional.of(Map.of("x", "y"))));
    assertThat(server.get(path).json().path("labels").toString()).isEqualTo("{\"x\":\"y\"}");
  }

  @Test
  void aLimitThatIsNullIsLifted() throws IOException {
    patch("{\"cpus\":0.5,\"pids\":64}");
    JsonNode json = patch("{\"cpus\":null,\"memory_limit_mib\":null}").json();

    assertThat(json.propertyNames()).doesNotContain("cpus", "memory_limit_mib").contains("pids");
    assertThat(change().limits())
        .contains(
            new Limits(Optional.empty(), Optional.empty(), Optional.of(64), Optional.empty()));
  }

  @Test
  void aTimeThatIsNullIsNoTimeAnyMore() throws IOException {
    patch("{\"ttl_secs\":3600}");
    JsonNode json = patch("{\"ttl_secs\":null,\"idle_timeout_secs\":null}").json();
    assertThat(json.propertyNames())
        .doesNotContain("ttl_secs", "expires_at_unix", "idle_timeout_secs", "on_timeout");
    assertThat(change().lifetime())
        .contains(new Lifetime(Optional.empty(), Optional.empty(), Lifetime.AtEnd.PAUSE));
  }

  @Test
  void aTimeThatIsNotNamedGoesOn() throws IOException {
    server.forkd.family.now = Instant.now().minusSeconds(1800);
    patch("{\"ttl_secs\":3600}");
    assertThat(change().lifetime().orElseThrow().idle()).contains(Duration.ofSeconds(60));
    patch("{\"idle_timeout_secs\":5}");
    Lifetime lifetime = change().lifetime().orElseThrow();
    assertThat(lifetime.idle()).contains(Duration.ofSeconds(5));
    assertThat(lifetime.atEnd()).isEqualTo(Lifetime.AtEnd.PAUSE);
    // Lifetimes count from when they are set, and half of the hour is over.
    assertThat(lifetime.ttl().orElseThrow())
        .isBetween(Duration.ofSeconds(1600), Duration.ofSeconds(1801));
  }

  @Test
  void emptyLabelsRemoveAll() throws IOException {
    assertThat(patch("{\"labels\":{}}").json().has("labels")).isFalse();
    assertThat(change().labels()).contains(Map.of());
  }

  @Test
  void nothingToChangeChangesNothing() throws IOException {
    Answer answer = patch("{\"labels\":null,\"egress\":null}");
    assertThat(answer.status()).isEqualTo(200);
    assertThat(change())
        .isEqualTo(
            new SandboxChange(
                Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty()));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "''|no body",
        "[]|The body is an array",
        "{\"ttl_secs\":0}|ttl_secs is 0",
        "{\"ttl_secs\":\"never\"}|ttl_secs has the wrong type",
        "{\"idle_timeout_secs\":false}|idle_timeout_secs has the wrong type",
        "{\"cpus\":-1}|cpus is -1.0",
        "{\"labels\":{\"a\":{}}}|labels.a has the wrong type",
        "{\"egress\":\"everything\"}|egress is 'everything'"
      })
  void refusesChangesThatMakeNoSense(String body, String reason) throws IOException {
    Answer answer = patch(body);
    assertThat(answer.status()).as(answer.text()).isEqualTo(400);
    assertThat(answer.error()).contains(reason);
    assertThat(server.forkd.lifecycle.changes).isEmpty();
  }

  @Test
  void pausesAndResumesAndIsNotCalledMeanwhile() throws IOException {
    Answer paused = server.post(path + "/pause", "");
    assertThat(paused.status()).isEqualTo(200);
    assertThat(paused.json().path("state").asString()).isEqualTo("paused");
    assertThat(server.post(path + "/pause", "").status()).isEqualTo(200);
    Answer called = server.post(path + "/eval", "{\"code\":\"1\"}");
    assertThat(called.status()).isEqualTo(409);
    assertThat(called.error()).contains("resume");
    assertThat(server.post(path + "/resume", "").json().path("state").asString())
        .isEqualTo("running");
    assertThat(server.post(path + "/eval", "{\"code\":\"1\"}").status()).isEqualTo(200);
  }

  @Test
  void tellsWhyThoseThatEndedDid() throws IOException {
    server.call("DELETE", path, "");
    SandboxId crashed = SandboxId.of(server.fork());
    server.forkd.lifecycle.end(
        server.forkd.sandbox(crashed),
        new EndReason(
            EndReason.Kind.VMM_CRASH, "its VMM ended with signal 9", List.of("l1", "l2")));
    Answer answer = server.get("/v1/sandboxes/ended");
    assertThat(answer.status()).isEqualTo(200);
    assertThat(answer.json().size()).isEqualTo(2);
    assertThat(answer.json().path(0).path("reason").toString())
        .isEqualTo(
            "{\"kind\":\"vmm_crash\",\"text\":\"its VMM ended with signal"
                + " 9\",\"log\":[\"l1\",\"l2\"]}");
    JsonNode killed = answer.json().path(1);
    assertThat(killed.propertyNames())
        .containsExactly(
            "id", "snapshot_tag", "created_at_unix", "ended_at_unix", "reason", "labels");
    assertThat(killed.path("id").asString()).isEqualTo(id);
    assertThat(killed.path("reason").path("kind").asString()).isEqualTo("killed");
    assertThat(server.get("/v1/sandboxes/ended?limit=1").json().size()).isEqualTo(1);
  }

  @ParameterizedTest
  @ValueSource(strings = {"0", "-1", "x", "", "10001", "99999999999999999999"})
  void refusesLimitsThatAreNone(String limit) throws IOException {
    Answer answer = server.get("/v1/sandboxes/ended?limit=" + limit);
    assertThat(answer.status()).isEqualTo(400);
    assertThat(answer.error()).isEqualTo("limit in the query must be 1 to 10000.");
  }
}
