package io.forkd.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.forkd.client.Json;
import java.io.IOException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class SnapshotDiffCommandTest {
  private static final String ID = "sb-0123456789-0000";
  private static final String SANDBOX = "/v1/sandboxes/" + ID;

  private FakeRoutes daemon;

  @BeforeEach
  void start() throws IOException {
    daemon =
        new FakeRoutes()
            .on("GET /v1/snapshots", 200, "[{\"tag\":\"base\"},{\"tag\":\"b1\"}]")
            .on("POST /v1/sandboxes", 201, "[{\"id\":\"%s\"}]".formatted(ID))
            .on("POST " + SANDBOX + "/exec", 200, "{\"exit_code\":0}")
            .on("POST " + SANDBOX + "/eval", 200, "{\"exit_code\":0}")
            .on("POST " + SANDBOX + "/branch", 201, "{\"tag\":\"new\",\"status\":\"ready\"}")
            .on("DELETE " + SANDBOX, 204, "");
  }

  @AfterEach
  void stop() {
    daemon.close();
  }

  @Test
  void aSnapshotIsMadeOfAnotherAndACommand() {
    assertThat(
            daemon.run(
                "snapshot-diff",
                "--from",
                "base",
                "--tag",
                "new",
                "--exec",
                "pip install x",
                "--eval",
                "import x",
                "--ttl",
                "1h"))
        .isEqualTo(0);
    assertThat(daemon.asked())
        .containsExactly(
            "GET /v1/snapshots",
            "POST /v1/sandboxes",
            "POST " + SANDBOX + "/exec",
            "POST " + SANDBOX + "/eval",
            "POST " + SANDBOX + "/branch",
            "DELETE " + SANDBOX);
    assertThat(daemon.body("POST " + SANDBOX + "/exec"))
        .contains("\"args\":[\"/bin/sh\",\"-c\",\"pip install x\"]", "\"timeout_secs\":600");
    assertThat(daemon.body("POST " + SANDBOX + "/branch"))
        .isEqualTo("{\"wait\":true,\"tag\":\"new\",\"ttl_secs\":3600}");
    // The daemon ends the child when this process cannot.
    assertThat(daemon.body("POST /v1/sandboxes")).contains("\"ttl_secs\":4800");
    assertThat(daemon.out()).contains("Branch new", "forkd fork --tag new");
  }

  @Test
  void aCommandThatFailsMakesNoSnapshotAndItsOutputIsShown() {
    daemon.on(
        "POST " + SANDBOX + "/exec",
        200,
        "{\"stdout\":\"looking\\n\",\"stderr\":\"no\\u001b[2J such package\\n\",\"exit_code\":7}");
    assertThat(daemon.run("snapshot-diff", "--from", "base", "--tag", "new", "--exec", "x"))
        .isEqualTo(1);
    assertThat(daemon.err())
        .contains("exit code 7", "no such snapshot", "looking\nno^[[2J such package");
    assertThat(daemon.asked())
        .doesNotContain("POST " + SANDBOX + "/branch")
        .endsWith("DELETE " + SANDBOX);
  }

  @Test
  void codeThatRaisesMakesNoSnapshot() {
    daemon.on(
        "POST " + SANDBOX + "/eval",
        200,
        "{\"error\":\"E\",\"traceback\":\"Traceback: E\",\"exit_code\":1}");
    assertThat(
            daemon.run("snapshot-diff", "--from", "base", "--tag", "new", "--eval", "x", "--json"))
        .isEqualTo(1);
    assertThat(Json.parseObject(daemon.out()).text("error")).contains("Traceback: E");
    assertThat(daemon.asked())
        .doesNotContain("POST " + SANDBOX + "/branch")
        .endsWith("DELETE " + SANDBOX);
  }

  @Test
  void aCommandThatTakesTooLongMakesNoSnapshot() {
    daemon.on("POST " + SANDBOX + "/exec", 200, "{\"exit_code\":0,\"timed_out\":true}");
    assertThat(
            daemon.run(
                "snapshot-diff",
                "--from",
                "base",
                "--tag",
                "new",
                "--exec",
                "x",
                "--timeout-secs",
                "5"))
        .isEqualTo(1);
    assertThat(daemon.err()).contains("killed after 5 s", "larger --timeout-secs", "said nothing");
    assertThat(daemon.asked()).endsWith("DELETE " + SANDBOX);
  }

  @Test
  void aBranchThatIsRefusedStillEndsTheChild() {
    daemon.on("POST " + SANDBOX + "/branch", 503, "{\"error\":\"Too many branches.\"}");
    daemon.on("DELETE " + SANDBOX, 500, "{\"error\":\"It will not die.\"}");
    assertThat(daemon.run("snapshot-diff", "--from", "base", "--tag", "new", "--exec", "x"))
        .isEqualTo(1);
    assertThat(daemon.err())
        .contains("%s still runs: It will not die. Next: forkd kill %s".formatted(ID, ID))
        .contains("forkd: Too many branches.");
  }

  @Test
  void aTakenTagIsMetBeforeTheWork() {
    assertThat(daemon.run("snapshot-diff", "--from", "base", "--tag", "b1", "--exec", "x"))
        .isEqualTo(1);
    assertThat(daemon.err()).contains("b1 is there already", "forkd rmi b1");
    assertThat(daemon.asked()).containsExactly("GET /v1/snapshots");
  }
}
