package io.forkd.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.forkd.base.SandboxId;
import io.forkd.base.Tag;
import io.forkd.core.Snapshot;
import java.io.IOException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;

/** Lineage, removal, compaction and rollback of a chain base ← one ← two, and one ← side. */
@Timeout(60)
class ChainApiTest {
  private final TestServer server = TestServer.open();
  private String source;
  private String child;

  @BeforeEach
  void chain() throws IOException {
    source = server.fork();
    branch(source, "one");
    child = forkOf("one");
    branch(child, "two");
    branch(child, "side");
  }

  @AfterEach
  void stop() throws IOException {
    server.close();
  }

  @Test
  void infoTellsTheLineage() throws IOException {
    assertThat(server.get("/v1/snapshots/two/info").text())
        .isEqualTo(
            """
            {"tag":"two","dir":"/data/snapshots/two","created_at_unix":1700000000,\
            "status":"ready","bootable":true,"branched_from":"%s","mode":"live",\
            "pause_ms":7.25,"diff_ms":40.5,"diff_logical_bytes":8192,"diff_physical_bytes":5000,\
            "parent_tag":"one","chain_depth":2,"memory_mib":512,\
            "memory_logical_bytes":536870912,"memory_physical_bytes":5000,"vcpus":1,\
            "source":"recipe python-numpy","arch":"aarch64","vmm":"qemu 7.2.22 tcg",\
            "machine":"virt","content_hash":"sha256:two","runtimes":["python"],\
            "vmstate_bytes":1234,"parent_content_hash":"sha256:one","ancestors":["base","one"],\
            "dependents":[],"sandboxes":[]}"""
                .formatted(child));
    JsonNode one = server.get("/v1/snapshots/one/info").json();
    assertThat(one.path("ancestors")).isEqualTo(Answer.parse("[\"base\"]"));
    assertThat(one.path("dependents")).isEqualTo(Answer.parse("[\"side\",\"two\"]"));
    assertThat(one.path("sandboxes")).isEqualTo(Answer.parse("[\"" + child + "\"]"));
    JsonNode base = server.get("/v1/snapshots/base/info").json();
    assertThat(base.has("parent_tag")).isFalse();
    assertThat(base.has("parent_content_hash")).isFalse();
    assertThat(base.path("sandboxes")).isEqualTo(Answer.parse("[\"" + source + "\"]"));
  }

  @Test
  void theListTellsParentsToo() throws IOException {
    JsonNode two =
        server
            .get("/v1/snapshots")
            .json()
            .valueStream()
            .filter(snapshot -> snapshot.path("tag").asString().equals("two"))
            .findFirst()
            .orElseThrow();
    assertThat(two.path("parent_tag").asString()).isEqualTo("one");
    assertThat(two.path("chain_depth").asInt()).isEqualTo(2);
  }

  @Test
  void aParentIsNotRemovedWithoutAWord() throws IOException {
    Answer answer = server.call("DELETE", "/v1/snapshots/one", "");
    assertThat(answer.status()).isEqualTo(409);
    assertThat(answer.error()).contains("side", "two");
    assertThat(server.forkd.snapshots).hasSize(4);
  }

  @Test
  void cascadeRemovesTheDependentsToo() throws IOException {
    Answer answer = server.call("DELETE", "/v1/snapshots/one?cascade=true", "");
    assertThat(answer.status()).isEqualTo(204);
    assertThat(server.forkd.snapshots).containsOnlyKeys(Tag.of("base"));
  }

  @Test
  void forceLeavesTheDependentsBroken() throws IOException {
    assertThat(server.call("DELETE", "/v1/snapshots/one?force=true", "").status()).isEqualTo(204);
    JsonNode two = server.get("/v1/snapshots/two/info").json();
    assertThat(two.path("status").asString()).isEqualTo("failed");
    assertThat(two.path("bootable").asBoolean()).isFalse();
    assertThat(two.path("warning").asString()).isEqualTo("Its parent one is gone.");
    assertThat(two.path("ancestors")).isEqualTo(Answer.parse("[\"one\"]"));
  }

  @Test
  void compactMakesASnapshotWithoutAParent() throws IOException {
    Answer answer = server.post("/v1/snapshots/two/compact", "{\"to\":\"flat\",\"x\":1}");
    assertThat(answer.status()).isEqualTo(201);
    assertThat(answer.json().path("tag").asString()).isEqualTo("flat");
    assertThat(answer.json().path("chain_depth").asInt()).isZero();
    assertThat(answer.json().has("parent_tag")).isFalse();
    assertThat(server.forkd.snapshots).hasSize(5);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "two|{}|400|to is missing: expected a string.",
        "two|{\"to\":null}|400|to is missing",
        "two|{\"to\":5}|400|to has the wrong type: expected a string, found an integer.",
        "two|{\"to\":\"../x\"}|400|to: '../x' is not a tag",
        "two|{\"to\":\"two\"}|400|to is two, the snapshot itself",
        "two|[]|400|The body is an array",
        "two|{\"to\":\"one\"}|409|A snapshot one exists already.",
        "boom-FULL|{\"to\":\"flat\"}|503|as told: FULL",
        "nope|{\"to\":\"flat\"}|404|There is no snapshot nope."
      })
  void refusesBadCompactions(String tag, String body, int status, String reason)
      throws IOException {
    Answer answer = server.post("/v1/snapshots/" + tag + "/compact", body);
    assertThat(answer.status()).as(answer.text()).isEqualTo(status);
    assertThat(answer.error()).contains(reason);
    assertThat(server.forkd.snapshots).hasSize(4);
  }

  @Test
  void compactNeedsABody() throws IOException {
    Answer answer = server.post("/v1/snapshots/two/compact", "");
    assertThat(answer.status()).isEqualTo(400);
    assertThat(answer.error()).contains("send a JSON object");
  }

  @Test
  void rollbackKeepsTheIdAndGivesBackTheCheckpoint() throws IOException {
    SandboxId id = SandboxId.of(child);
    branch(child, "checkpoint");
    server.forkd.files.write(id, "/spoiled", "yes");
    Answer answer =
        server.post("/v1/sandboxes/" + child + "/rollback", "{\"tag\":\"checkpoint\",\"x\":[]}");
    assertThat(answer.status()).isEqualTo(200);
    assertThat(answer.json().path("id").asString()).isEqualTo(child);
    assertThat(answer.json().path("snapshot_tag").asString()).isEqualTo("checkpoint");
    assertThat(answer.json().path("pid").asInt()).isEqualTo(4243);
    assertThat(server.forkd.files.of(id)).isEmpty();
    assertThat(server.get("/v1/sandboxes/" + child).json()).isEqualTo(answer.json());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{}|400|tag is missing: expected a string.",
        "{\"tag\":[\"one\"]}|400|tag has the wrong type: expected a string, found an array.",
        "{\"tag\":\"..\"}|400|tag: '..' is not a tag",
        "x|400|not valid JSON",
        "{\"tag\":\"nope\"}|404|There is no snapshot nope.",
        "{\"tag\":\"stranger\"}|409|is not of the family"
      })
  void refusesBadRollbacks(String body, int status, String reason) throws IOException {
    Snapshot stranger = new SnapshotDraft("stranger").done();
    server.forkd.snapshots.put(stranger.tag(), stranger);
    Answer answer = server.post("/v1/sandboxes/" + child + "/rollback", body);
    assertThat(answer.status()).as(answer.text()).isEqualTo(status);
    assertThat(answer.error()).contains(reason);
    assertThat(server.get("/v1/sandboxes/" + child).json().path("pid").asInt()).isEqualTo(4242);
  }

  private void branch(String id, String tag) throws IOException {
    Answer answer =
        server.post("/v1/sandboxes/" + id + "/branch", "{\"tag\":\"%s\"}".formatted(tag));
    assertThat(answer.status()).isEqualTo(201);
  }

  private String forkOf(String tag) throws IOException {
    return server
        .post("/v1/sandboxes", "{\"snapshot_tag\":\"%s\"}".formatted(tag))
        .json()
        .path(0)
        .path("id")
        .asString();
  }
}
