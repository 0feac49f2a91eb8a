package io.forkd.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.forkd.base.SandboxId;
import io.forkd.base.Tag;
import io.forkd.core.BranchMode;
import io.forkd.core.BranchSpec;
import io.forkd.core.FanOutSpec;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** A running sandbox forked into children in one request. */
@Timeout(60)
class FanOutApiTest {
  private final TestServer server = TestServer.open();
  private String id;
  private String path;

  @BeforeEach
  void fork() throws IOException {
    id = server.fork();
    path = "/v1/sandboxes/" + id + "/fork";
  }

  @AfterEach
  void stop() throws IOException {
    server.close();
  }

  @Test
  void forksASandboxWithEveryFieldSet() throws IOException {
    Answer answer =
        server.post(
            path,
            """
            {"n":3,"tag":"fan","mode":"live","memory_limit_mib":256,"ttl_secs":30,
             "snapshot_ttl_secs":60,"keep_last":5,"unknown":1}""");
    assertThat(answer.status()).isEqualTo(201);
    JsonNode json = answer.json();
    assertThat(json.propertyNames()).containsExactly("snapshot", "sandboxes", "failures");
    assertThat(json.path("snapshot").path("tag").asString()).isEqualTo("fan");
    assertThat(json.path("snapshot").path("branched_from").asString()).isEqualTo(id);
    assertThat(json.path("snapshot").path("expires_at_unix").asLong()).isEqualTo(1_700_000_060);
    assertThat(json.path("sandboxes").size()).isEqualTo(3);
    for (JsonNode child : json.path("sandboxes")) {
      assertThat(child.path("snapshot_tag").asString()).isEqualTo("fan");
      assertThat(child.path("proof").path("kernel_uuid").asString()).isEqualTo("uuid-1");
      assertThat(child.path("memory_limit_mib").asInt()).isEqualTo(256);
      assertThat(child.path("expires_at_unix").asLong()).isEqualTo(1_700_000_030);
    }
    assertThat(json.path("failures").isEmpty()).isTrue();
    BranchSpec branch =
        new BranchSpec(
            Optional.of(Tag.of("fan")),
            Optional.of(BranchMode.LIVE),
            false,
            Optional.of(Duration.ofSeconds(60)),
            Optional.of(5));
    assertThat(server.forkd.branches.fanOutSpecs)
        .containsExactly(
            new FanOutSpec(branch, 3, Optional.of(256), Optional.of(Duration.ofSeconds(30))));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "{}", "{\"n\":null,\"tag\":null,\"mode\":null}"})
  void makesOneChildOfABranchUnlessTold(String body) throws IOException {
    Answer answer = server.post(path, body);
    assertThat(answer.status()).isEqualTo(201);
    assertThat(answer.json().path("sandboxes").size()).isEqualTo(1);
    assertThat(answer.json().path("snapshot").path("tag").asString()).startsWith("branch-" + id);
    assertThat(answer.json().path("snapshot").has("expires_at_unix")).isFalse();
  }

  @Test
  void doesNotWaitForTheDisk() throws IOException {
    CountDownLatch gate = new CountDownLatch(1);
    server.forkd.branches.diskGate = gate;
    Answer answer = server.post(path, "{\"n\":2}");
    assertThat(answer.status()).isEqualTo(201);
    assertThat(answer.json().path("snapshot").path("status").asString()).isEqualTo("writing");
    gate.countDown();
  }

  @Test
  void tellsWhichChildrenFailed() throws IOException {
    server.forkd.failures.set(2);
    server.forkd.failureText = "é".repeat(5_000);
    Answer answer = server.post(path, "{\"n\":3}");
    assertThat(answer.status()).isEqualTo(201);
    assertThat(answer.json().path("sandboxes").size()).isEqualTo(1);
    JsonNode failures = answer.json().path("failures");
    assertThat(failures.size()).isEqualTo(2);
    assertThat(failures.path(1).path("index").asInt()).isEqualTo(1);
    assertThat(failures.path(1).path("error").asString()).isEqualTo("é".repeat(5_000));
  }

  @Test
  void failsWhenEveryChildFailed() throws IOException {
    server.forkd.failures.set(2);
    Answer answer = server.post(path, "{\"n\":2}");
    assertThat(answer.status()).isEqualTo(502);
    assertThat(answer.error()).isEqualTo("QEMU died");
  }

  @Test
  void refusesATagThatExists() throws IOException {
    assertThat(server.post(path, "{\"tag\":\"base\"}").status()).isEqualTo(409);
    assertThat(server.forkd.sandboxes).hasSize(1);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{\"n\":0}|n is 0: use 1 to 1000.",
        "{\"n\":1001}|n is 1001",
        "{\"n\":-1}|n is -1",
        "{\"n\":18446744073709551616}|n is 18446744073709551616",
        "{\"n\":\"2\"}|n has the wrong type: expected an integer, found a string.",
        "{\"n\":2.5}|n has the wrong type",
        "{\"tag\":\"../x\"}|tag: '../x' is not a tag",
        "{\"tag\":[]}|tag has the wrong type",
        "{\"mode\":\"best\"}|mode is 'best': use one of full, diff, live.",
        "{\"mode\":0}|mode has the wrong type",
        "{\"memory_limit_mib\":15}|memory_limit_mib is 15: use 16 to 1048576.",
        "{\"memory_limit_mib\":1048577}|memory_limit_mib is 1048577",
        "{\"memory_limit_mib\":{}}|memory_limit_mib has the wrong type",
        "{\"ttl_secs\":0.5}|ttl_secs is 0.5: use 1 to 31536000.",
        "{\"ttl_secs\":false}|ttl_secs has the wrong type",
        "{\"snapshot_ttl_secs\":-3}|snapshot_ttl_secs is -3",
        "{\"snapshot_ttl_secs\":\"x\"}|snapshot_ttl_secs has the wrong type",
        "{\"keep_last\":0}|keep_last is 0: use 1 to 10000.",
        "{\"keep_last\":true}|keep_last has the wrong type",
        "3|The body is an integer"
      })
  void refusesBadRequestsAndSaysWhy(String body, String reason) throws IOException {
    Answer answer = server.post(path, body);
    assertThat(answer.status()).as(answer.text()).isEqualTo(400);
    assertThat(answer.error()).contains(reason);
    assertThat(server.forkd.branches.fanOutSpecs).isEmpty();
  }

  @Test
  void childrenOfABranchHaveWhatItsSourceHad() throws IOException {
    server.forkd.files.write(SandboxId.of(id), "/x", "1");
    JsonNode json = server.post(path, "{\"n\":2}").json();
    List<String> children =
        json.path("sandboxes").valueStream().map(child -> child.path("id").asString()).toList();
    for (String child : children) {
      Answer diff = server.post("/v1/diff", "{\"a\":\"%s\",\"b\":\"%s\"}".formatted(id, child));
      assertThat(diff.json().path("files").isEmpty()).isTrue();
    }
    assertThat(children).hasSize(2).doesNotContain(id);
  }
}
