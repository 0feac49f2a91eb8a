package io.forkd.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class WorkspaceApiTest {
  private static final String CREATE = "{\"name\":\"dev\",\"snapshot_tag\":\"base\"}";

  private final TestServer server = TestServer.open();

  @AfterEach
  void stop() throws IOException {
    server.close();
  }

  @Test
  void makesAWorkspaceWithARunningSandbox() throws IOException {
    Answer answer = server.post("/v1/workspaces", CREATE);
    assertThat(answer.status()).isEqualTo(201);
    assertThat(answer.text())
        .isEqualTo(
            """
            {"id":"ws-00000001","name":"dev","source_snapshot_tag":"base","status":"running",\
            "live_sandbox_id":"sb-0000000000-0000","created_at_unix":1700000000,\
            "last_active_unix":1700000005}\
            """);
    assertThat(server.get("/v1/workspaces/dev").text()).isEqualTo(answer.text());
    assertThat(server.get("/v1/workspaces").text()).isEqualTo("[" + answer.text() + "]");
  }

  @Test
  void suspendsAndResumesAsOftenAsAsked() throws IOException {
    server.post("/v1/workspaces", CREATE);
    Answer suspended = server.post("/v1/workspaces/dev/suspend", "{\"diff\":true}");
    assertThat(suspended.status()).isEqualTo(200);
    assertThat(suspended.json().path("status").asString()).isEqualTo("suspended");
    assertThat(suspended.json().path("current_state_tag").asString()).isEqualTo("ws-dev-state");
    assertThat(suspended.json().has("live_sandbox_id")).isFalse();
    assertThat(server.post("/v1/workspaces/dev/suspend", "").text()).isEqualTo(suspended.text());
    Answer resumed = server.post("/v1/workspaces/dev/resume", "");
    assertThat(resumed.json().path("status").asString()).isEqualTo("running");
    assertThat(resumed.json().path("live_sandbox_id").asString()).isNotEmpty();
    assertThat(server.post("/v1/workspaces/dev/resume", "{}").text()).isEqualTo(resumed.text());
  }

  @Test
  void aNameIsTakenUntilItsWorkspaceIsDeleted() throws IOException {
    server.post("/v1/workspaces", CREATE);
    Answer again = server.post("/v1/workspaces", CREATE);
    assertThat(again.status()).isEqualTo(409);
    assertThat(again.error()).contains("exists already");
    assertThat(server.call("DELETE", "/v1/workspaces/dev", "").status()).isEqualTo(204);
    assertThat(server.forkd.sandboxes).isEmpty();
    assertThat(server.post("/v1/workspaces", CREATE).status()).isEqualTo(201);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{}|400|name is missing",
        "{\"name\":\"dev\"}|400|snapshot_tag is missing",
        "{\"name\":1,\"snapshot_tag\":\"base\"}|400|name has the wrong type",
        "{\"name\":\"../x\",\"snapshot_tag\":\"base\"}|400|is no name for a workspace",
        "{\"name\":\"\",\"snapshot_tag\":\"base\"}|400|is no name for a workspace",
        "{\"name\":\"dev\",\"snapshot_tag\":\"../x\"}|400|is not a tag",
        "{\"name\":\"dev\",\"snapshot_tag\":\"nope\"}|404|There is no snapshot nope.",
        "{\"name\":\"dev\",\"snapshot_tag\":\"base\",\"cpus\":\"2\"}|400|cpus has the wrong type",
        "{\"name\":\"dev\",\"snapshot_tag\":\"base\",\"per_child_netns\":7}|400|per_child_netns"
      })
  void refusesWorkspacesThatMakeNoSense(String body, int status, String reason) throws IOException {
    Answer answer = server.post("/v1/workspaces", body);
    assertThat(answer.status()).as(answer.text()).isEqualTo(status);
    assertThat(answer.error()).contains(reason);
    assertThat(server.get("/v1/workspaces").text()).isEqualTo("[]");
  }

  @ParameterizedTest
  @CsvSource({"GET,''", "DELETE,''", "POST,/suspend", "POST,/resume"})
  void knowsWhatItDoesNotHave(String method, String suffix) throws IOException {
    Answer answer = server.call(method, "/v1/workspaces/nope" + suffix, "");
    assertThat(answer.status()).isEqualTo(404);
    assertThat(answer.error()).isEqualTo("There is no workspace nope.");
  }

  @ParameterizedTest
  @ValueSource(strings = {"..", "%2e%2e%2fx", "a%00", "-a", "%20"})
  void refusesNamesThatAreNone(String name) throws IOException {
    for (String[] request :
        new String[][] {{"GET", ""}, {"DELETE", ""}, {"POST", "/suspend"}, {"POST", "/resume"}}) {
      Answer answer = server.call(request[0], "/v1/workspaces/" + name + request[1], "");
      assertThat(answer.status()).as(request[0] + request[1] + answer).isEqualTo(400);
    }
  }

  @Test
  void aWordThatIsNoChoiceIsRefused() throws IOException {
    server.post("/v1/workspaces", CREATE);
    for (String verb : new String[] {"suspend", "resume"}) {
      Answer answer = server.post("/v1/workspaces/dev/" + verb, "{\"diff\":\"yes\"}");
      assertThat(answer.status()).isEqualTo(400);
      assertThat(answer.error()).contains("diff has the wrong type");
    }
  }
}
