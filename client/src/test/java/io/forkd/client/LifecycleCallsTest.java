package io.forkd.client;

import static io.forkd.client.FakeDaemon.reply;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

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

/** Calls about what sandboxes are given, their lives and workspaces. */
@Timeout(60)
class LifecycleCallsTest {
  private static final ChildRequest EVERYTHING =
      new ChildRequest(
          Optional.of(256),
          Optional.of(0.5),
          Optional.of(128),
          Optional.of(10_000_000L),
          Optional.of(Duration.ofMinutes(15)),
          Optional.of(Duration.ofMinutes(1)),
          Optional.of(OnTimeout.PAUSE),
          Optional.of(EgressPolicy.parse("allow:www.example.com,192.0.2.0/24")),
          Map.of("team", "a"),
          Map.of("MODE", "test"));
  private static final String ASKED =
      "\"memory_limit_mib\":256,\"cpus\":0.5,\"pids\":128,\"io_bytes_per_sec\":10000000,"
          + "\"ttl_secs\":900,\"idle_timeout_secs\":60,\"on_timeout\":\"pause\",\"egress\":"
          + "{\"policy\":\"allowlist\",\"domains\":[\"www.example.com\"],\"cidrs\":[\"192.0.2.0/24\"]},"
          + "\"labels\":{\"team\":\"a\"},\"env\":{\"MODE\":\"test\"}";

  private FakeDaemon daemon;
  private ForkdClient client;
  private String answer = "{}";

  @BeforeEach
  void start() throws IOException {
    daemon =
        FakeDaemon.start(
            (_, out) -> {
              out.write(reply(200, "", answer).getBytes(UTF_8));
              return true;
            });
    client = ForkdClient.connect(daemon.endpoint());
  }

  @AfterEach
  void stop() {
    client.close();
    daemon.close();
  }

  private String asked() {
    FakeDaemon.Request last = daemon.requests().getLast();
    return "%s %s %s".formatted(last.method(), last.path(), last.body()).strip();
  }

  @Test
  void everythingASandboxCanBeGivenIsAskedForInEachWay() {
    answer = "[]";
    client.fork(new ForkRequest("t", 2, true, EVERYTHING));
    assertThat(asked())
        .isEqualTo(
            "POST /v1/sandboxes {\"snapshot_tag\":\"t\",\"n\":2,\"measure\":true," + ASKED + "}");
    answer = "{\"snapshot\":{}}";
    client.forkSandbox(
        "sb-1",
        new FanOutRequest(
            2, Optional.empty(), Optional.empty(), EVERYTHING, Optional.empty(), Optional.of(3)));
    assertThat(asked())
        .isEqualTo("POST /v1/sandboxes/sb-1/fork {\"n\":2," + ASKED + ",\"keep_last\":3}");
    client.workspaces().create(new WorkspaceRequest("w", "t", EVERYTHING));
    assertThat(asked())
        .isEqualTo("POST /v1/workspaces {\"name\":\"w\",\"snapshot_tag\":\"t\"," + ASKED + "}");
  }

  @Test
  void aSandboxTellsItsStateLabelsAndEgress() {
    answer =
        """
        {"id":"sb-1","state":"paused","labels":{"a":"b"},"egress":{"policy":"allowlist",\
        "domains":["x.org"],"cidrs":["192.0.2.7/32"]}}\
        """;
    SandboxInfo sandbox = client.sandbox("sb-1");
    assertThat(sandbox.paused()).isTrue();
    assertThat(sandbox.labels()).isEqualTo(Map.of("a", "b"));
    assertThat(sandbox.egress()).map(EgressPolicy::toString).contains("allow:x.org,192.0.2.7/32");
    answer = "{\"id\":\"sb-1\",\"egress\":\"none\"}";
    assertThat(client.sandbox("sb-1").egress()).contains(EgressPolicy.NONE);
    answer = "{\"id\":\"sb-1\"}";
    assertThat(client.sandbox("sb-1").egress()).isEmpty();
    assertThat(client.sandbox("sb-1").paused()).isFalse();
  }

  @Test
  void sandboxesAreFoundByLabels() {
    answer = "[]";
    client.sandboxes(Map.of("a b", "c&d=e"));
    assertThat(asked()).isEqualTo("GET /v1/sandboxes?label=a%20b%3Dc%26d%3De");
    client.sandboxes(Map.of());
    assertThat(asked()).isEqualTo("GET /v1/sandboxes");
  }

  @Test
  void anUpdateNamesOnlyWhatChanges() {
    client.update(
        "sb-1",
        SandboxUpdate.nothing()
            .memoryLimitMib(512)
            .cpus(2)
            .pids(64)
            .ioBytesPerSec(1 << 20)
            .ttl(Duration.ofHours(1))
            .noIdle()
            .onTimeout(OnTimeout.KILL)
            .egress(EgressPolicy.NONE)
            .labels(Map.of()));
    assertThat(asked())
        .isEqualTo(
            "PATCH /v1/sandboxes/sb-1 {\"memory_limit_mib\":512,\"cpus\":2.0,\"pids\":64,"
                + "\"io_bytes_per_sec\":1048576,\"ttl_secs\":3600,\"idle_timeout_secs\":null,"
                + "\"on_timeout\":\"kill\",\"egress\":\"none\",\"labels\":{}}");
    client.update("sb-1", SandboxUpdate.nothing().noTtl().idle(Duration.ofSeconds(5)));
    assertThat(asked())
        .isEqualTo("PATCH /v1/sandboxes/sb-1 {\"ttl_secs\":null,\"idle_timeout_secs\":5}");
  }

  @Test
  void sandboxesArePausedAndResumed() {
    answer = "{\"id\":\"sb-1\",\"state\":\"paused\"}";
    assertThat(client.pause("sb-1").paused()).isTrue();
    assertThat(asked()).isEqualTo("POST /v1/sandboxes/sb-1/pause {}");
    client.resume("sb-1");
    assertThat(asked()).isEqualTo("POST /v1/sandboxes/sb-1/resume {}");
  }

  @Test
  void endedSandboxesTellWhy() {
    answer =
        """
        [{"id":"sb-1","snapshot_tag":"t","created_at_unix":1,"ended_at_unix":9,\
        "reason":{"kind":"out_of_memory","text":"it ran out","log":["a","b"]}}]\
        """;
    EndedInfo ended = client.ended(7).getFirst();
    assertThat(asked()).isEqualTo("GET /v1/sandboxes/ended?limit=7");
    assertThat(ended.kind()).isEqualTo("out_of_memory");
    assertThat(ended.text()).isEqualTo("it ran out");
    assertThat(ended.log()).containsExactly("a", "b");
    assertThat(ended.endedAt()).isEqualTo(Instant.ofEpochSecond(9));
    assertThat(ended.labels()).isEmpty();
  }

  @Test
  void workspacesTellTheirStatusAndSandbox() {
    answer =
        """
        {"id":"ws-1","name":"dev","source_snapshot_tag":"t","current_state_tag":"ws-dev-state",\
        "status":"running","live_sandbox_id":"sb-1","created_at_unix":1,"last_active_unix":2}\
        """;
    WorkspaceInfo workspace = client.workspaces().get("dev");
    assertThat(asked()).isEqualTo("GET /v1/workspaces/dev");
    assertThat(workspace.sandboxId()).contains("sb-1");
    assertThat(workspace.stateTag()).contains("ws-dev-state");
    assertThat(workspace.lastActive()).isEqualTo(Instant.ofEpochSecond(2));
    client.workspaces().suspend("dev");
    assertThat(asked()).isEqualTo("POST /v1/workspaces/dev/suspend {}");
    client.workspaces().resume("dev");
    assertThat(asked()).isEqualTo("POST /v1/workspaces/dev/resume {}");
    client.workspaces().delete("dev");
    assertThat(asked()).isEqualTo("DELETE /v1/workspaces/dev");
    answer = "[" + answer + "]";
    assertThat(client.workspaces().list()).extracting(WorkspaceInfo::name).containsExactly("dev");
  }

  @ParameterizedTest
  @ValueSource(strings = {"none", "internet", "allow:a.org", "allow:a.org,*.b.org,10.0.0.0/8"})
  void policiesAreWrittenAsTheyAreRead(String text) {
    assertThat(EgressPolicy.parse(text)).hasToString(text);
  }

  @ParameterizedTest
  @CsvSource({"''", "all", "allow", "allow:", "None"})
  void whatIsNoPolicyIsRefused(String text) {
    assertThatThrownBy(() -> EgressPolicy.parse(text))
        .isInstanceOf(ForkdClientException.class)
        .hasMessageContaining("use none, internet or allow:");
  }

  @Test
  void addressesAndNamesAreToldApart() {
    assertThat(EgressPolicy.parse("allow:1.2.3.4,a.org,10.0.0.0/8,2001:db8::/32"))
        .isEqualTo(
            EgressPolicy.allowlist(
                List.of("a.org"), List.of("1.2.3.4", "10.0.0.0/8", "2001:db8::/32")));
  }
}
