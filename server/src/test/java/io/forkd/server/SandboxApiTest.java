package io.forkd.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.forkd.base.Tag;
import io.forkd.core.ForkSpec;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

@Timeout(60)
class SandboxApiTest {
  private static final String UNKNOWN = "sb-ffffffff-0001";

  private final TestServer server = TestServer.open();

  @AfterEach
  void stop() throws IOException {
    server.close();
  }

  @Test
  void forksOneChildUnlessToldOtherwise() throws IOException {
    Answer answer = server.post("/v1/sandboxes", "{\"snapshot_tag\":\"base\"}");
    assertThat(answer.status()).isEqualTo(201);
    assertThat(answer.text())
        .isEqualTo(
            """
            [{"id":"sb-0000000000-0000","snapshot_tag":"base","created_at_unix":1700000000,\
            "pid":4242,"has_branched":false,"branch_count":0,"branch_mode":"live","branch_way":"userfaultfd",\
            "state":"running","pooled":false,"proof":\
            {"hostname":"sb-1","machine_id":"00000000000000000000000000000000",\
            "boot_id":"boot-1","clock_error_ms":3,"clock_step_ms":12000,"entropy_bytes":64,\
            "crng_reseeded":true,"kernel_uuid":"uuid-1","hooks":["python"]},\
            "phases_ms":{"restore":4.25,"total":12.5}}]\
            """);
    assertThat(answer.headers()).doesNotContainKeys("forkd-failures", "forkd-warning");
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3, 1000})
  void forksAsManyAsAsked(int n) throws IOException {
    Answer answer =
        server.post(
            "/v1/sandboxes",
            "{\"snapshot_tag\":\"base\",\"n\":%d,\"memory_limit_mib\":256}".formatted(n));
    assertThat(answer.status()).isEqualTo(201);
    assertThat(answer.json().size()).isEqualTo(n);
    assertThat(answer.json().path(0).path("memory_limit_mib").asInt()).isEqualTo(256);
    assertThat(server.forkd.forkSpecs)
        .containsExactly(new ForkSpec(Tag.of("base"), n, Optional.of(256)));
  }

  @Test
  void endsChildrenAfterAWhileWhenTold() throws IOException {
    Answer answer = server.post("/v1/sandboxes", "{\"snapshot_tag\":\"base\",\"ttl_secs\":90}");
    assertThat(answer.status()).isEqualTo(201);
    assertThat(answer.json().path(0).path("expires_at_unix").asLong()).isEqualTo(1_700_000_090);
    assertThat(server.forkd.forkSpecs.getFirst().child().lifetime().ttl())
        .contains(Duration.ofSeconds(90));
  }

  @Test
  void warnsOfWishesItCannotHonour() throws IOException {
    Answer answer =
        server.post(
            "/v1/sandboxes",
            """
            {"snapshot_tag":"base","per_child_netns":true,"prewarm":true,"live_fork":true,
             "hugepages":true}\
            """);
    assertThat(answer.status()).isEqualTo(201);
    assertThat(answer.header("forkd-warning"))
        .isEqualTo("not honoured by this daemon: prewarm, live_fork, hugepages");
    Answer quiet =
        server.post(
            "/v1/sandboxes",
            "{\"snapshot_tag\":\"base\",\"per_child_netns\":false,\"prewarm\":null}");
    assertThat(quiet.headers()).doesNotContainKey("forkd-warning");
  }

  @Test
  void tellsWhichChildrenFailedBesideThoseThatLive() throws IOException {
    server.forkd.failures.set(2);
    server.forkd.failureText = "dièd\r\nX-Evil: 1 \u007f";
    Answer answer = server.post("/v1/sandboxes", "{\"snapshot_tag\":\"base\",\"n\":5}");
    assertThat(answer.status()).isEqualTo(201);
    assertThat(answer.json().size()).isEqualTo(3);
    assertThat(answer.headers()).doesNotContainKey("x-evil");
    String header = answer.header("forkd-failures");
    assertThat(header).matches("[ -~]+");
    JsonNode failures = Answer.parse(header);
    assertThat(failures.size()).isEqualTo(2);
    assertThat(failures.path(1).path("index").asInt()).isEqualTo(1);
    assertThat(failures.path(0).path("error").asString()).isEqualTo("dièd\r\nX-Evil: 1 ?");
  }

  @Test
  void boundsTheFailureHeader() throws IOException {
    server.forkd.failures.set(999);
    server.forkd.failureText = "é".repeat(10_000);
    Answer answer = server.post("/v1/sandboxes", "{\"snapshot_tag\":\"base\",\"n\":1000}");
    assertThat(answer.status()).isEqualTo(201);
    assertThat(answer.header("forkd-failures").length()).isBetween(1000, 4096);
    assertThat(Answer.parse(answer.header("forkd-failures")).size()).isPositive();
  }

  @Test
  void failsWhenEveryChildFailed() throws IOException {
    server.forkd.failures.set(3);
    Answer answer =
        server.post("/v1/sandboxes", "{\"snapshot_tag\":\"base\",\"n\":3,\"prewarm\":true}");
    assertThat(answer.status()).isEqualTo(502);
    assertThat(answer.error()).isEqualTo("QEMU died");
    assertThat(answer.headers()).doesNotContainKeys("forkd-failures", "forkd-warning");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{}|400|snapshot_tag is missing",
        "{\"snapshot_tag\":1}|400|snapshot_tag has the wrong type: expected a string, found an"
            + " integer",
        "{\"snapshot_tag\":\"../x\"}|400|is not a tag",
        "{\"snapshot_tag\":\"nope\"}|404|There is no snapshot nope.",
        "{\"snapshot_tag\":\"base\",\"n\":0}|400|n is 0: use 1 to 1000",
        "{\"snapshot_tag\":\"base\",\"n\":-1}|400|n is -1: use 1 to 1000",
        "{\"snapshot_tag\":\"base\",\"n\":1001}|400|n is 1001: use 1 to 1000",
        "{\"snapshot_tag\":\"base\",\"n\":4294967297}|400|n is 4294967297",
        "{\"snapshot_tag\":\"base\",\"n\":1.0}|400|n has the wrong type: expected an integer, found"
            + " a number with a fraction",
        "{\"snapshot_tag\":\"base\",\"n\":\"5\"}|400|n has the wrong type: expected an integer,"
            + " found a string",
        "{\"snapshot_tag\":\"base\",\"n\":[5]}|400|found an array",
        "{\"snapshot_tag\":\"base\",\"n\":false}|400|found a boolean",
        "{\"snapshot_tag\":\"base\",\"memory_limit_mib\":15}|400|memory_limit_mib is 15: use 16 to"
            + " 1048576",
        "{\"snapshot_tag\":\"base\",\"memory_limit_mib\":1048577}|400|memory_limit_mib is 1048577",
        "{\"snapshot_tag\":\"base\",\"memory_limit_mib\":\"1\"}|400|memory_limit_mib has the wrong"
            + " type",
        "{\"snapshot_tag\":\"base\",\"ttl_secs\":0}|400|ttl_secs is 0: use 1 to 31536000",
        "{\"snapshot_tag\":\"base\",\"ttl_secs\":31536001}|400|ttl_secs is 31536001",
        "{\"snapshot_tag\":\"base\",\"ttl_secs\":\"9\"}|400|ttl_secs has the wrong type: expected a"
            + " number of seconds, found a string",
        "{\"snapshot_tag\":\"base\",\"per_child_netns\":\"true\"}|400|per_child_netns has the wrong"
            + " type: expected true or false, found a string",
        "{\"snapshot_tag\":\"base\",\"prewarm\":1}|400|prewarm has the wrong type",
        "{\"snapshot_tag\":\"base\",\"live_fork\":{}}|400|live_fork has the wrong type",
        "{\"snapshot_tag\":\"base\",\"hugepages\":[]}|400|hugepages has the wrong type",
        "nonsense|400|not valid JSON"
      })
  void refusesBadForks(String body, int status, String reason) throws IOException {
    Answer answer = server.post("/v1/sandboxes", body);
    assertThat(answer.status()).as(answer.text()).isEqualTo(status);
    assertThat(answer.error()).contains(reason);
    assertThat(server.forkd.sandboxes).isEmpty();
  }

  @Test
  void listsShowsAndKillsSandboxes() throws IOException {
    assertThat(server.get("/v1/sandboxes").text()).isEqualTo("[]");
    String id = server.fork();
    assertThat(server.get("/v1/sandboxes").json().path(0).path("id").asString()).isEqualTo(id);
    assertThat(server.get("/v1/sandboxes/" + id).json().path("pid").asInt()).isEqualTo(4242);
    Answer killed = server.call("DELETE", "/v1/sandboxes/" + id, "");
    assertThat(killed.status()).isEqualTo(204);
    assertThat(killed.bytes()).isEmpty();
    assertThat(server.call("DELETE", "/v1/sandboxes/" + id, "").status()).isEqualTo(404);
    assertThat(server.get("/v1/sandboxes/" + id).status()).isEqualTo(404);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "x",
        "sb-",
        "sb-1-1",
        "sb-12345678-00001",
        "SB-12345678-0001",
        "sb-zzzzzzzz-0001",
        "..",
        "%2e%2e",
        "..%2f..%2fetc%2fpasswd",
        "sb-12345678-0001%00",
        "sb-12345678-0001%0a",
        "sb-12345678-0001;x",
        "%73%62",
        "base"
      })
  void refusesIdsThatAreNone(String id) throws IOException {
    String path = "/v1/sandboxes/" + id;
    for (String[] request :
        new String[][] {
          {"GET", path, ""},
          {"DELETE", path, ""},
          {"POST", path + "/ping", ""},
          {"POST", path + "/exec", "{\"args\":[\"x\"]}"},
          {"POST", path + "/eval", "{\"code\":\"x\"}"},
          {"POST", path + "/branch", "{}"},
          {"POST", path + "/fork", "{}"},
          {"POST", path + "/rollback", "{\"tag\":\"base\"}"},
          {"POST", path + "/pause", ""},
          {"POST", path + "/resume", ""},
          {"PATCH", path, "{}"}
        }) {
      Answer answer = server.call(request[0], request[1], request[2]);
      assertThat(answer.status()).as(request[0] + request[1] + answer).isEqualTo(400);
      assertThat(answer.error()).isNotBlank();
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "GET||",
        "DELETE||",
        "POST|/ping|",
        "POST|/exec|{\"args\":[\"x\"]}",
        "POST|/eval|{\"code\":\"x\"}",
        "POST|/branch|",
        "POST|/branch|{\"parent_tag\":\"base\"}",
        "POST|/fork|",
        "POST|/pause|",
        "POST|/resume|",
        "PATCH||{\"cpus\":1}",
        "POST|/rollback|{\"tag\":\"base\"}"
      })
  void knowsWhatItDoesNotHave(String method, String suffix, String body) throws IOException {
    String path = "/v1/sandboxes/" + UNKNOWN + (suffix == null ? "" : suffix);
    Answer answer = server.call(method, path, body == null ? "" : body);
    assertThat(answer.status()).isEqualTo(404);
    assertThat(answer.error()).isEqualTo("There is no sandbox sb-ffffffff-0001.");
  }
}
