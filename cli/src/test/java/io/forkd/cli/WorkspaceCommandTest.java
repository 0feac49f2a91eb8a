package io.forkd.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.forkd.client.Json;
import java.io.IOException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Timeout(60)
class WorkspaceCommandTest {
  private FakeRoutes daemon;

  @BeforeEach
  void start() throws IOException {
    daemon = new FakeRoutes();
  }

  @AfterEach
  void stop() {
    daemon.close();
  }

  private static String workspace(String name, String status, String more) {
    return """
    {"id":"ws-1","name":"%s","source_snapshot_tag":"py","status":"%s","created_at_unix":1,\
    "last_active_unix":2%s}\
    """
        .formatted(name, status, more);
  }

  @Test
  void aNewOneTellsItsSandboxAndTheNextStep() {
    daemon.on(
        "POST /v1/workspaces", 201, workspace("dev", "running", ",\"live_sandbox_id\":\"sb-7\""));
    assertThat(daemon.run("workspace", "create", "dev", "--tag", "py", "--cpus", "1")).isEqualTo(0);
    assertThat(daemon.body("POST /v1/workspaces"))
        .isEqualTo("{\"name\":\"dev\",\"snapshot_tag\":\"py\",\"cpus\":1.0}");
    assertThat(daemon.out()).isEqualTo("dev running as sb-7. Next: forkd exec sb-7 -- CMD\n");
  }

  @Test
  void aNameThatIsTakenIsToldInTheDaemonsWords() {
    daemon.on("POST /v1/workspaces", 409, "{\"error\":\"A workspace dev exists already.\"}");
    assertThat(daemon.run("ws", "create", "dev", "--tag", "py")).isEqualTo(1);
    assertThat(daemon.err()).contains("A workspace dev exists already.");
  }

  @Test
  void listsThem() {
    daemon.on(
        "GET /v1/workspaces",
        200,
        "[%s,%s]"
            .formatted(
                workspace("a", "running", ",\"live_sandbox_id\":\"sb-7\""),
                workspace("b", "suspended", ",\"labels\":{\"x\":\"y\"}")));
    assertThat(daemon.run("workspace", "ls")).isEqualTo(0);
    assertThat(daemon.out()).contains("STATUS", "sb-7", "suspended", "x=y");
    assertThat(daemon.run("workspace", "ls", "--json")).isEqualTo(0);
    assertThat(Json.parse(daemon.out()))
        .asInstanceOf(org.assertj.core.api.InstanceOfAssertFactories.LIST)
        .hasSize(2);
  }

  @Test
  void noneAreSaidToBeNone() {
    daemon.on("GET /v1/workspaces", 200, "[]");
    assertThat(daemon.run("workspace", "ls")).isEqualTo(0);
    assertThat(daemon.err()).contains("forkd workspace create NAME --tag TAG");
  }

  @Test
  void tellsAllAboutOne() {
    daemon.on(
        "GET /v1/workspaces/dev",
        200,
        workspace("dev", "stale", ",\"current_state_tag\":\"ws-dev-state\""));
    assertThat(daemon.run("workspace", "info", "dev")).isEqualTo(0);
    assertThat(daemon.out()).contains("stale", "ws-dev-state", "py");
  }

  @ParameterizedTest
  @CsvSource({"suspend,suspended", "resume,resumed"})
  void movesSeveralAtOnce(String verb, String done) {
    daemon.on("POST /v1/workspaces/a/" + verb, 200, workspace("a", done, ""));
    daemon.on("POST /v1/workspaces/b/" + verb, 404, "{\"error\":\"There is no workspace b.\"}");
    assertThat(daemon.run("workspace", verb, "a", "b")).isEqualTo(1);
    assertThat(daemon.out()).isEqualTo(done + " a\n");
    assertThat(daemon.err()).contains("There is no workspace b.");
  }

  @Test
  void removesThem() {
    daemon.on("DELETE /v1/workspaces/a", 204, "");
    assertThat(daemon.run("workspace", "rm", "a", "--json")).isEqualTo(0);
    assertThat(Json.parseObject(daemon.out()).texts("removed")).containsExactly("a");
  }
}
