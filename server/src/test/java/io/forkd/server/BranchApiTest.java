package io.forkd.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.forkd.base.Tag;
import io.forkd.core.BranchMode;
import io.forkd.core.BranchSpec;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

@Timeout(60)
class BranchApiTest {
  private final TestServer server = TestServer.open();
  private String id;
  private String path;

  @BeforeEach
  void fork() throws IOException {
    id = server.fork();
    path = "/v1/sandboxes/" + id + "/branch";
  }

  @AfterEach
  void stop() throws IOException {
    server.close();
  }

  @Test
  void takesABranchWithEveryFieldSet() throws IOException {
    Answer answer =
        server.post(
            path,
            """
            {"tag":"step-1","mode":"diff","wait":true,"measure_diff":true,"parent_tag":"base",
             "ttl_secs":60.5,"keep_last":3,"unknown":{"deep":[null]}}""");
    assertThat(answer.status()).isEqualTo(201);
    assertThat(answer.text())
        .isEqualTo(
            """
            {"tag":"step-1","dir":"/data/snapshots/step-1","created_at_unix":1700000000,\
            "status":"ready","bootable":true,"expires_at_unix":1700000060,\
            "branched_from":"%s","mode":"diff","pause_ms":7.25,"diff_ms":40.5,\
            "diff_logical_bytes":8192,"diff_physical_bytes":5000,"parent_tag":"base",\
            "chain_depth":1,"memory_mib":512,"memory_logical_bytes":536870912,\
            "memory_physical_bytes":5000,"vcpus":1,"source":"recipe python-numpy",\
            "arch":"aarch64","vmm":"qemu 7.2.22 tcg","machine":"virt",\
            "content_hash":"sha256:step-1","runtimes":["python"]}"""
                .formatted(id));
    assertThat(server.forkd.branches.specs)
        .containsExactly(
            new BranchSpec(
                Optional.of(Tag.of("step-1")),
                Optional.of(BranchMode.DIFF),
                true,
                Optional.of(Duration.ofMillis(60_500)),
                Optional.of(3)));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "{}",
        "{\"tag\":null,\"mode\":null,\"diff\":null,\"wait\":null,\"ttl_secs\":null}"
      })
  void needsNothingToBeSaid(String body) throws IOException {
    Answer answer = server.post(path, body);
    assertThat(answer.status()).isEqualTo(201);
    assertThat(answer.json().path("tag").asString()).startsWith("branch-" + id + "-");
    assertThat(answer.json().path("mode").asString()).isEqualTo("live");
    assertThat(answer.json().has("expires_at_unix")).isFalse();
    assertThat(server.forkd.branches.specs)
        .containsExactly(
            new BranchSpec(
                Optional.empty(), Optional.empty(), true, Optional.empty(), Optional.empty()));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{\"mode\":\"full\"}|FULL",
        "{\"mode\":\"diff\"}|DIFF",
        "{\"mode\":\"live\"}|LIVE",
        "{\"diff\":true}|DIFF",
        "{\"diff\":false}|FULL",
        "{\"diff\":true,\"mode\":null}|DIFF",
        "{\"mode\":\"live\",\"diff\":null}|LIVE"
      })
  void knowsEveryMode(String body, BranchMode mode) throws IOException {
    assertThat(server.post(path, body).status()).isEqualTo(201);
    assertThat(server.forkd.branches.specs.getFirst().mode()).contains(mode);
  }

  @Test
  void servesClientsOfBefore() throws IOException {
    Answer answer =
        server.post(
            path,
            """
            {"tag":"old","diff":false,"measure_diff":false,"wait":true,"parent_tag":null}""");
    assertThat(answer.status()).isEqualTo(201);
    JsonNode json = answer.json();
    assertThat(json.path("branched_from").asString()).isEqualTo(id);
    assertThat(json.path("mode").asString()).isEqualTo("full");
    assertThat(json.path("pause_ms").isNumber()).isTrue();
    assertThat(json.path("diff_ms").isNumber()).isTrue();
    // A full branch has no delta on disk, but what the sandbox changed is told all the same.
    assertThat(json.path("diff_physical_bytes").asLong()).isEqualTo(8192);
    assertThat(json.path("diff_logical_bytes").asLong()).isEqualTo(8192);
    assertThat(json.path("chain_depth").asInt()).isZero();
    assertThat(json.has("parent_tag")).isFalse();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{\"tag\":1}|tag has the wrong type: expected a string, found an integer.",
        "{\"tag\":\"\"}|tag: '' is not a tag: use 1 to 64",
        "{\"tag\":\"../x\"}|tag: '../x' is not a tag",
        "{\"tag\":\"a/b\"}|is not a tag",
        "{\"tag\":\"/etc/passwd\"}|is not a tag",
        "{\"tag\":\"..\"}|is not a tag",
        "{\"tag\":\"a\\u0000\"}|is not a tag",
        "{\"tag\":\"a\\ud800\"}|is not a tag",
        "{\"mode\":\"fast\"}|mode is 'fast': use one of full, diff, live.",
        "{\"mode\":\"LIVE\"}|mode is 'LIVE'",
        "{\"mode\":\"\"}|mode is ''",
        "{\"mode\":true}|mode has the wrong type: expected a string, found a boolean.",
        "{\"mode\":[\"live\"]}|mode has the wrong type",
        "{\"diff\":\"true\"}|diff has the wrong type: expected true or false, found a string.",
        "{\"diff\":1}|diff has the wrong type",
        "{\"mode\":\"diff\",\"diff\":true}|mode and diff exclude each other",
        "{\"mode\":\"live\",\"diff\":false}|mode and diff exclude each other",
        "{\"measure_diff\":\"x\"}|measure_diff has the wrong type",
        "{\"wait\":\"no\"}|wait has the wrong type: expected true or false, found a string.",
        "{\"wait\":0}|wait has the wrong type",
        "{\"parent_tag\":7}|parent_tag has the wrong type",
        "{\"parent_tag\":\"../base\"}|parent_tag: '../base' is not a tag",
        "{\"ttl_secs\":0}|ttl_secs is 0: use 1 to 31536000.",
        "{\"ttl_secs\":31536001}|ttl_secs is 31536001",
        "{\"ttl_secs\":1e999}|ttl_secs is Infinity",
        "{\"ttl_secs\":\"60\"}|ttl_secs has the wrong type: expected a number of seconds",
        "{\"keep_last\":0}|keep_last is 0: use 1 to 10000.",
        "{\"keep_last\":10001}|keep_last is 10001",
        "{\"keep_last\":1.5}|keep_last has the wrong type: expected an integer",
        "[]|The body is an array",
        "{|not valid JSON"
      })
  void refusesBadRequestsAndSaysWhy(String body, String reason) throws IOException {
    Answer answer = server.post(path, body);
    assertThat(answer.status()).as(answer.text()).isEqualTo(400);
    assertThat(answer.error()).contains(reason);
    assertThat(server.forkd.branches.specs).isEmpty();
  }

  @Test
  void saysWhichParentItIsWhenAnotherIsNamed() throws IOException {
    Answer answer = server.post(path, "{\"tag\":\"t\",\"parent_tag\":\"other\"}");
    assertThat(answer.status()).isEqualTo(400);
    assertThat(answer.error())
        .isEqualTo(
            "parent_tag is other, but sandbox %s is based on base: send that, or leave parent_tag out."
                .formatted(id));
    assertThat(server.forkd.branches.specs).isEmpty();
  }

  @Test
  void refusesATagThatExists() throws IOException {
    Answer answer = server.post(path, "{\"tag\":\"base\"}");
    assertThat(answer.status()).isEqualTo(409);
    assertThat(answer.error()).contains("base exists already");
  }

  @Test
  void countsBranchesOfASandbox() throws IOException {
    server.post(path, "{\"tag\":\"one\"}");
    server.post(path, "{\"tag\":\"two\"}");
    JsonNode json = server.get("/v1/sandboxes/" + id).json();
    assertThat(json.path("has_branched").asBoolean()).isTrue();
    assertThat(json.path("branch_count").asInt()).isEqualTo(2);
    assertThat(json.path("snapshot_tag").asString()).isEqualTo("base");
  }

  @Test
  void keepsTheLastBranches() throws IOException {
    for (String tag : new String[] {"one", "two", "three"}) {
      server.post(path, "{\"tag\":\"%s\",\"keep_last\":2}".formatted(tag));
    }
    assertThat(server.forkd.snapshots)
        .containsOnlyKeys(Tag.of("base"), Tag.of("two"), Tag.of("three"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "boom-FULL|503|as told: FULL",
        "boom-HOST_FAILED|500|as told: HOST_FAILED",
        "boom-GUEST_FAILED|502|as told: GUEST_FAILED",
        "boom-defect|500|reference r-",
        "too-large|500|The disk is full: free some space and branch again."
      })
  void passesOnWhatTheCoreSays(String tag, int status, String reason) throws IOException {
    Answer answer = server.post(path, "{\"tag\":\"%s\"}".formatted(tag));
    assertThat(answer.status()).isEqualTo(status);
    assertThat(answer.error()).contains(reason);
  }
}
